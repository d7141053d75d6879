import { sha256 } from '#base/std';

/** Without tag and digest. */
function repositoryOf(image: string): string {
  const [named = ''] = image.split('@', 1);
  const colon = named.lastIndexOf(':');
  return colon > named.lastIndexOf('/') ? named.slice(0, colon) : named;
}

/** The image by digest: its own, or one derived from its name. */
export function imageIdOf(image: string): string {
  return image.includes('@') ? image : `${repositoryOf(image)}@sha256:${sha256(image)}`;
}
