import { createHash } from 'node:crypto';

const longest = 63;
const hashLength = 32;

/** compat cluster 5.6: a child's name is its parent's with a suffix; where that is too long, a hash stands for the end. */
export function childName(parent: string, suffix: string): string {
  if (parent.length + suffix.length <= longest) return parent + suffix;
  const head = longest - hashLength - suffix.length;
  if (head <= 0) return parent.slice(0, longest - hashLength) + md5(parent + suffix);
  return parent.slice(0, head) + md5(parent) + suffix;
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** `hello-00001` */
export const revisionName = (configuration: string, generation: number): string =>
  childName(configuration, `-${String(generation).padStart(5, '0')}`);

export const deploymentName = (revision: string): string => childName(revision, '-deployment');
