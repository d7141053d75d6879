const repository = /^[a-z0-9_./-]{2,255}$/;
const tag = /^[\w.-]{1,128}$/;
const digest = /^sha256:[0-9a-f]{64}$/;
const registry = /^[\w.-]+(:\d+)?$/;

/**
 * compat cluster 5.6: accepts the references of Knative's registry client: `[registry/]repository[:tag][@digest]`.
 */
export function isImageReference(image: string): boolean {
  const [named = '', ...digests] = image.split('@');
  if (digests.length > 1 || (digests[0] !== undefined && !digest.test(digests[0]))) return false;
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  if (hasTag && !tag.test(named.slice(colon + 1))) return false;
  return isRepository(hasTag ? named.slice(0, colon) : named);
}

function isRepository(name: string): boolean {
  const slash = name.indexOf('/');
  const head = slash < 0 ? '' : name.slice(0, slash);
  const isHost = /[.:]/.test(head) || head === 'localhost';
  if (!isHost) return repository.test(name);
  return registry.test(head) && repository.test(name.slice(slash + 1));
}
