import type { Check } from '../../check.ts';
import { containersOf, podKinds, textAt } from '../../kinds.ts';
import { imageName, isMoving } from './image.ts';

export const imageMovingTag: Check = {
  id: 'image-moving-tag',
  title: 'an image has a tag that moves',
  severity: 'warning',
  why: 'Git no longer says what runs: the registry changes behind the tag, pods of one revision differ, and reverting the commit does not bring the old image back. Knative resolves a tag once, when it creates a Revision.',
  fix: 'name a version that is never pushed twice, best with its digest: registry/name:1.4.2@sha256:…',
  reads: podKinds,
  onApplication: 'knative',
  *find(object) {
    for (const { path, container, words } of containersOf(object)) {
      const image = textAt(container, ['image']);
      if (!image) continue;
      const { tag, hasDigest } = imageName(image);
      if (hasDigest || (tag !== undefined && !isMoving(tag))) continue;
      yield {
        at: [...path, 'image'],
        message: `the image of ${words} ${tag === undefined ? 'has no tag, which means latest' : `has the tag ${tag}`}`,
        causedBy: ['images'],
      };
    }
  },
};
