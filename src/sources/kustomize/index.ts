/**
 * kustomize: builds kustomizations in process, where it surely knows what Kustomize would make of them.
 *
 * The real engine is the law: kubectl 1.36's Kustomize 5.8.1. This room does what that does for the features that
 * most kustomizations are made of, and declines everything else, whole and without a result; then the real engine is
 * run, and speaks in its own words. So there are no errors here: a mistake in a kustomization is declined like a
 * feature that is not known.
 *
 * Promises:
 *  1. Objects, their order and the order of their keys are exactly what reading the real engine's output gives.
 *     `testdata/` holds its answers, and `test/fuzz/kustomize.ts` compares both on as many trees as one likes.
 *  2. Whatever is odd is declined: what may be an error there, fields that are not in `kustomization.ts`, links, remote
 *     places, YAML that readers may disagree about, references that may mean several objects.
 *  3. Everything that decides the result is asked of the tree that is handed in, so that a recording tree knows it.
 *  4. One build costs little: bytes, objects, nesting and steps are counted (`decline.ts`), and above that declined.
 *
 * Declined on purpose: charts, functions and plugins that are not built in, validators, openapi, labels that name the
 * version of kustomize, JSON patches that move, copy or test. Decision 0023 says more.
 */
export { type BuildInput, buildKustomization, engineVersion } from './engine.ts';
