//! Contacts of pairs of features in a step.

use rayon::prelude::*;

use crate::{Candidate, Contact, Step};

/// Appends the contacts of a step: pairs nearer than they keep when it begins, with the normal they have then, and pairs that meet
/// where everything goes as the step says, with the normal of that moment (a gap along a tilted normal tells nothing).
///
/// Contacts between cloths may get as stiff as the cloth, since tens of them act on a particle. Those with obstacles stay as they are:
/// a tight dress on a body does not come to rest otherwise.
pub fn contacts_of_pairs(pairs: &[Candidate], step: &Step, contacts: &mut Vec<Contact>) {
    let found = pairs.par_chunks(crate::CHUNK).map(|pairs| {
        let mut contacts = Vec::new();
        for pair in pairs.iter().filter(|pair| step.parts(pair)) {
            if let Some(contact) = pair.contact_in_step(&step.x_t0, &step.x_t1, step.tuning().meeting) {
                let is_cloth = pair.vertices.iter().all(|v| (*v as usize) < step.cloth());
                contacts.push(Contact { hardening: if is_cloth { 1.0 } else { 0.0 }, ..contact });
            }
        }
        contacts
    });
    contacts.extend(found.collect::<Vec<_>>().into_iter().flatten());
}
