//! [`Groups`]: things joined into groups (union–find), numbered by their lowest member whatever the order of joining.

pub(super) struct Groups {
    root: Vec<u32>,
}

impl Groups {
    /// `count` things, each on its own.
    pub(super) fn new(count: usize) -> Self {
        Self { root: (0..count as u32).collect() }
    }

    /// The lowest member of the group of `i`.
    pub(super) fn find(&mut self, i: usize) -> usize {
        let mut i = i as u32;
        while self.root[i as usize] != i {
            // Halve the path on the way.
            self.root[i as usize] = self.root[self.root[i as usize] as usize];
            i = self.root[i as usize];
        }
        i as usize
    }

    /// Makes one group of those of `i` and `j`.
    pub(super) fn join(&mut self, i: usize, j: usize) {
        let (a, b) = (self.find(i), self.find(j));
        self.root[a.max(b)] = a.min(b) as u32;
    }

    /// Joins all things that have a key in common.
    pub(super) fn join_by<K: Ord>(&mut self, mut keyed: Vec<(K, usize)>) {
        keyed.sort_unstable();
        for pair in keyed.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            self.join(pair[0].1, pair[1].1);
        }
    }

    /// The group of each thing, counted from 0 by lowest member, and how many there are.
    pub(super) fn number(mut self) -> (Vec<usize>, usize) {
        let (mut number, mut count) = (vec![0; self.root.len()], 0);
        for i in 0..self.root.len() {
            let root = self.find(i);
            if root == i {
                number[i] = count;
                count += 1;
            } else {
                // The lowest member came before.
                number[i] = number[root];
            }
        }
        (number, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_numbered_by_their_lowest_member_in_any_order_of_joining() {
        let mut forwards = Groups::new(7);
        let mut backwards = Groups::new(7);
        let joins = [(5, 1), (6, 5), (2, 4), (4, 3), (3, 2)];
        for (i, j) in joins {
            forwards.join(i, j);
        }
        for (i, j) in joins.into_iter().rev() {
            backwards.join(j, i);
        }
        let expected = (vec![0, 1, 2, 2, 2, 1, 1], 3);
        assert_eq!(forwards.number(), expected);
        assert_eq!(backwards.number(), expected);
    }

    #[test]
    fn things_with_a_common_key_are_joined() {
        let mut groups = Groups::new(4);
        groups.join_by(vec![('b', 3), ('a', 0), ('c', 1), ('b', 0), ('d', 2)]);
        assert_eq!(groups.number(), (vec![0, 1, 2, 0], 3));
    }
}
