import type { TreeItem } from './resource-forest.ts';

/** One fact on a node's second line. */
export type ResourceFact = {
  readonly text: string;
  readonly kind: 'plain' | 'trouble' | 'traffic' | 'image';
  /** The same in fewer letters, for a narrow box. */
  readonly short?: string;
};

type Writer = (value: string) => ResourceFact | undefined;
const plain = (text: string): ResourceFact => ({ text, kind: 'plain' });
const readiness = (value: string): ResourceFact => ({ text: `${value} ready`, kind: 'plain', short: value });

/** The names are those of the peer's tree, and Knative's ours. An unlisted one is written `name value`. */
const writers: Readonly<Record<string, Writer>> = {
  'Status Reason': (value) => {
    if (over.has(value)) return plain('completed');
    return quiet.has(value) ? undefined : { text: value, kind: 'trouble' };
  },
  Traffic: (value) => ({ text: value, kind: 'traffic', ...sharesOf(value) }),
  Containers: readiness,
  Ready: readiness,
  Replicas: readiness,
  'Restart Count': (value) => (value === '0' ? undefined : { text: `${value} restarts`, kind: 'trouble' }),
  Revision: (value) => plain(value),
  Schedule: (value) => plain(value),
  Tag: (value) => plain(`tag ${value}`),
  URL: (value) => plain(value.replace(/^https?:\/\//, '')),
  Node: () => undefined,
  cpu: () => undefined,
  memory: () => undefined,
};
const order = Object.keys(writers);
const quiet = new Set(['Running', '']);
const over = new Set(['Completed', 'Succeeded']);

/** `80/20 %` of `web-00001 80%, web-00002 20%`. */
function sharesOf(value: string): Pick<ResourceFact, 'short'> {
  const shares = [...value.matchAll(/(\d+)\s?%/g)].map(([, share]) => share);
  return shares.length > 1 ? { short: `${shares.join('/')} %` } : {};
}

/** The facts of a resource, most important first. */
export function factsOf({ info, images, urls, isPrunable, isKept, isOrphan }: TreeItem): ResourceFact[] {
  // containers that have ended as they should are not ready, and need not be
  const isOver = info.some(({ name, value }) => name === 'Status Reason' && over.has(value));
  const reported = info
    .filter(({ name }) => !isOver || name !== 'Containers')
    .sort((a, b) => place(a.name) - place(b.name))
    .flatMap(({ name, value }) => {
      const write = writers[name];
      return (write ? write(value) : plain(`${name} ${value}`)) ?? [];
    });
  const hasUrl = info.some(({ name }) => name === 'URL');
  return [
    ...(isPrunable ? [goneFact(isKept)] : []),
    ...(isOrphan ? [plain('orphan')] : []),
    ...reported,
    ...images.slice(0, 2).map((image): ResourceFact => ({ text: imageTag(image), kind: 'image' })),
    ...(hasUrl ? [] : urls.slice(0, 1).map((url) => plain(url.replace(/^https?:\/\//, '')))),
  ];
}

const goneFact = (isKept: boolean): ResourceFact =>
  isKept ? plain('kept, no longer in Git') : { text: 'gone from Git', kind: 'trouble' };

function place(name: string): number {
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
}

/** An image's last part with its tag, a digest cut to what an eye can compare. */
export function imageTag(image: string): string {
  const [name = image, digest] = image.split('@');
  const short = name.slice(name.lastIndexOf('/') + 1);
  return digest ? `${short}@${digest.replace(/^sha256:/, '').slice(0, 7)}` : short;
}
