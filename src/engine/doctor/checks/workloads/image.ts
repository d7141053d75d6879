/** The parts of an image's name. */
export type ImageName = { readonly tag: string | undefined; readonly hasDigest: boolean };

export function imageName(image: string): ImageName {
  const [name = '', digest] = image.split('@', 2);
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  return { tag: colon < 0 ? undefined : name.slice(colon + 1), hasDigest: digest !== undefined };
}

/** Tags that are moved on purpose: branches, environments and channels. */
const moving =
  /^(?:latest|main|master|trunk|head|dev|develop|development|edge|nightly|snapshot|staging|stage|test|testing|qa|uat|prod|production|release|stable|canary|current|rolling|beta|alpha)$/i;

export const isMoving = (tag: string): boolean => moving.test(tag);
