//! [`Image`]: pixels as they go into a file, 8-bit sRGB, rows from top to bottom.

/// Largest width or height of a picture [px]; larger requests are reduced to it.
pub const MAX_SIDE: u32 = 8192;

/// A picture in 8-bit sRGB without transparency.
///
/// ```
/// use toile_view::Image;
/// let mut image = Image::filled(4, 3, [255, 255, 255]);
/// image.put(1, 2, [200, 0, 0]);
/// assert_eq!(image.get(1, 2), Some([200, 0, 0]));
/// assert_eq!(image.get(4, 0), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Image {
    /// A picture of one colour. Sides are clamped to `1..=`[`MAX_SIDE`].
    pub fn filled(width: u32, height: u32, colour: [u8; 3]) -> Self {
        let (width, height) = (width.clamp(1, MAX_SIDE), height.clamp(1, MAX_SIDE));
        Self { width, height, rgb: colour.repeat(width as usize * height as usize) }
    }

    /// Width [px], at least 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height [px], at least 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All bytes, red green blue, row by row from the top, shape `[height · width · 3]`.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The same bytes, writable.
    pub fn rgb_mut(&mut self) -> &mut [u8] {
        &mut self.rgb
    }

    /// Colour at column `x`, row `y`; `None` outside the picture.
    pub fn get(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let i = self.offset(x, y)?;
        Some([self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]])
    }

    /// Sets one pixel; outside the picture nothing happens.
    pub fn put(&mut self, x: u32, y: u32, colour: [u8; 3]) {
        if let Some(i) = self.offset(x, y) {
            self.rgb[i..i + 3].copy_from_slice(&colour);
        }
    }

    /// Copies a whole picture into this one, `left` and `top` pixels from its edges; what does not fit is left out.
    pub fn paste(&mut self, picture: &Self, left: u32, top: u32) {
        for y in 0..picture.height {
            for x in 0..picture.width {
                if let Some(colour) = picture.get(x, y) {
                    self.put(x.saturating_add(left), y.saturating_add(top), colour);
                }
            }
        }
    }

    /// Mixes `colour` over one pixel with weight `alpha` in 0–1; outside the picture nothing happens.
    pub fn blend(&mut self, x: u32, y: u32, colour: [u8; 3], alpha: f32) {
        if let Some(i) = self.offset(x, y) {
            let alpha = alpha.clamp(0.0, 1.0);
            for (old, new) in self.rgb[i..i + 3].iter_mut().zip(colour) {
                *old = (f32::from(*old) * (1.0 - alpha) + f32::from(new) * alpha).round() as u8;
            }
        }
    }

    fn offset(&self, x: u32, y: u32) -> Option<usize> {
        (x < self.width && y < self.height).then(|| (y as usize * self.width as usize + x as usize) * 3)
    }
}
