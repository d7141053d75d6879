/**
 * kustomize: builds kustomizations in process, where the result is sure to match Kustomize's.
 *
 * The reference is kubectl 1.36's Kustomize 5.8.1. This room reproduces it for the features that most kustomizations
 * use, and declines the whole build for everything else; then the kustomize program runs, and reports its own errors.
 * So there are no errors here: a mistake in a kustomization is declined like an unsupported feature.
 *
 * Promises:
 *  1. Objects, their order and the order of their keys are exactly those parsed from kustomize's output. `testdata/`
 *     holds its output, and `test/fuzz/kustomize.ts` compares both on random trees.
 *  2. Anything unusual is declined: possible errors of kustomize, fields that are not in `kustomization.ts`, links,
 *     remote URLs, YAML that parsers may disagree about, references that may mean several objects.
 *  3. Every input of the result is read from the given tree, so that a recording tree contains it.
 *  4. One build has a bounded cost: bytes, objects, nesting and steps are counted (`decline.ts`); above the limits it
 *     declines.
 *
 * Declined on purpose: charts, functions and plugins that are not built in, validators, openapi, labels that name the
 * version of kustomize, JSON patches that move, copy or test. See decision 23.
 */
export { type BuildInput, buildKustomization, engineVersion } from './engine.ts';
