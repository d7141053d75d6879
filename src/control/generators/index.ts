/**
 * generators: reads what the generators of an ApplicationSet name, and renders the applications that follow from it. The
 * decisions are the engine's; here is the I/O for them.
 *
 * Invariants
 * (1) All or nothing: a set has all of its applications, or a problem and none (sources AS-2).
 * (2) It writes nothing.
 * (3) Repositories are read from the mirrors and caches that applications use: no second clone, one list of branches.
 * (4) An unchanged set is neither read nor rendered again: files by their hash, applications by their parameters.
 * (5) Every request has a deadline and every response a size limit; the parameters of a set are limited in number and size.
 * (6) Tokens are read from the set's own namespace, and no message contains one.
 */
export { type SetEvaluation, SetEvaluator } from './evaluate.ts';
export { factsOf } from './facts.ts';
export type { GeneratorDeps, RevisionAge } from './generator-deps.ts';
export { previewApplicationSet, type SetPreview } from './preview.ts';
