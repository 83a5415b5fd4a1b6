pub(crate) fn draw(_image: &mut crate::Image, _scene: &crate::Scene) {}
