import type { KubeObject } from '#base/model';
import { equal, FairleadError, isObject } from '#base/std';
import { mergeChange } from './merge-template.ts';
import { generationOf, readyOf } from './revisions.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The template of a Knative Service; undefined: it has none. */
export function templateOf({ spec }: KubeObject): Fields | undefined {
  return isObject(spec) && isObject(spec.template) ? spec.template : undefined;
}

/** Knative's own marks on a Revision; of its prefix a template may have this one only. */
const isOwnMark = (key: string): boolean =>
  key.startsWith('serving.knative.dev/') && key !== 'serving.knative.dev/progress-deadline';

function marksOf(marks: Readonly<Record<string, string>> | undefined): Fields | undefined {
  const kept = Object.entries(marks ?? {}).filter(([key]) => !isOwnMark(key));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** What a Revision has of its template, with Knative's defaults and without its marks. */
const contentOf = ({ metadata, spec }: KubeObject) => ({
  metadata: definedOnly({ labels: marksOf(metadata.labels), annotations: marksOf(metadata.annotations) }),
  spec,
});

const definedOnly = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The Revisions between which an undo goes. */
export type UndoSteps = { readonly current: KubeObject; readonly wanted: KubeObject };

/**
 * decision 60: the template of an earlier Revision as Git would declare it. A Revision has defaults that Git has not: so what
 * changed between the Revision of the declared template and the wanted one is changed back in the declared one. A template that
 * names its Revision gets the wanted one's name, which Knative then uses again.
 */
export function restoredTemplate(declared: KubeObject, { current, wanted }: UndoSteps): Fields {
  const template = templateOf(declared) ?? {};
  const merged = mergeChange(template, { from: contentOf(current), to: contentOf(wanted) });
  const { metadata, ...rest } = isObject(merged) ? merged : {};
  const marks = isObject(metadata) ? metadata : {};
  const name = typeof marks.name === 'string' ? { name: wanted.metadata.name } : {};
  const all = tidy({ ...marks, ...name });
  return Object.keys(all).length > 0 ? { metadata: all, ...rest } : rest;
}

/** Without the maps that have become empty. */
const tidy = (metadata: Fields): Fields =>
  Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => !isObject(value) || Object.keys(value).length > 0),
  );

/** What an undo starts from. */
export type UndoBase = {
  readonly service: KubeObject;
  /** The Revisions of the Service, in any order. */
  readonly revisions: readonly KubeObject[];
  /** The Revision that a Rollout protects; undefined: there is none. */
  readonly stable?: string | undefined;
};

/** The Revision of the template that the Service has now. Throws InvalidSpec while Knative has not created it. */
export function currentRevision({ service, revisions }: UndoBase): KubeObject {
  const { metadata, status } = service;
  const { observedGeneration, latestCreatedRevisionName } = isObject(status) ? status : {};
  const found = revisions.find((one) => one.metadata.name === latestCreatedRevisionName);
  if (found && observedGeneration === metadata.generation) return found;
  throw new FairleadError(
    'InvalidSpec',
    `Knative has not created the Revision of the current template of Service ${metadata.name} yet: try again in a moment, or see why the Service is not ready`,
  );
}

/**
 * The Revision that an undo returns to: by its generation, or with 0 the previous one. That is the stable Revision during an
 * update, and otherwise the newest ready one with other content than the current one. Throws NotFound.
 */
export function revisionToRestore(base: UndoBase, generation: number): KubeObject {
  const { service, revisions, stable } = base;
  const { name } = service.metadata;
  const newest = revisions.toSorted((a, b) => generationOf(b) - generationOf(a));
  const known = newest.slice(0, 10).map((one) => `${generationOf(one)} (${one.metadata.name})`);
  if (generation > 0) {
    const found = newest.find((one) => generationOf(one) === generation);
    if (found) return found;
    throw new FairleadError(
      'NotFound',
      `Service ${name} has no Revision of generation ${generation}; there are ${known.join(', ') || 'none'}`,
    );
  }
  const current = currentRevision(base);
  const others = newest.filter((one) => !equal(contentOf(one), contentOf(current)));
  const found = others.find((one) => one.metadata.name === stable) ?? others.find((one) => isReady(one));
  if (found) return found;
  throw new FairleadError(
    'NotFound',
    `Service ${name} has no earlier Revision that is ready; there are ${known.join(', ')}: name one with --to-revision`,
  );
}

export const isReady = (revision: KubeObject): boolean => readyOf(revision)?.status === 'True';
