import type { Check } from '../../check.ts';
import { containersOf, podKinds, textAt } from '../../kinds.ts';
import { imageName, isMoving } from './image.ts';

export const imageNoDigest: Check = {
  id: 'image-no-digest',
  title: 'an image is not pinned by digest',
  severity: 'note',
  why: 'a tag can be pushed again; signatures and provenance are about a digest.',
  fix: 'append the digest: registry/name:1.4.2@sha256:…',
  reads: podKinds,
  *find(object) {
    for (const { path, container, words } of containersOf(object)) {
      const { tag, hasDigest } = imageName(textAt(container, ['image']) ?? '@');
      if (hasDigest || tag === undefined || isMoving(tag)) continue;
      yield { at: [...path, 'image'], message: `the image of ${words} has no digest`, causedBy: ['images'] };
    }
  },
};
