/**
 * # manifests: the target state of an application at a revision, rendered once
 *
 * From a request to objects: resolve each source, open its tree, detect its type, render it, cache the result.
 *
 * It promises:
 *
 * 1. **The cache is keyed by what was read**, not by the commit: a result is served while every file and folder that
 *    the render read, and every file it did not find, is unchanged; the parameters and the engine's version are the
 *    same. `why` names the input that made a render necessary.
 * 2. **A render is done once**, however many callers request it at the same time, and serves every application that
 *    requests the same thing. Objects are frozen. A failure that comes from the files is cached like a result; a
 *    transient one is tried three times and then returned for an hour.
 * 3. **An engine sees the source's own files and nothing else**: a private folder that is removed afterwards, no link
 *    out of it, no program beside it, an empty environment, no way to the network, a deadline and limits to its memory
 *    and its output. Runs share contents by links and never each other's changes: one that writes to its input is
 *    detected and done again. A plugin finds the programs and the network of the machine, and a copy of everything.
 * 4. **An engine's output reaches the user** as if it had run at the root of the repository: no path of this machine.
 * 5. **Damage to what is on disk costs a render**, never a wrong answer. No Secret is written there.
 *
 * What a chart depends on, charts that Kustomize inflates, remote bases and value files of URLs are fetched here by the
 * rules for sources, remote bases only where the project permits them; an engine never sees a credential. It does not
 * handle namespaces, tracking and duplicates: those belong to the application, and the result is shared.
 */
export type { EngineTools } from './engine.ts';
export { createManifests, type ManifestLimits, type Manifests } from './generate.ts';
export { localTree } from './local-tree.ts';
export type { GeneratedManifests, ManifestRequest } from './request.ts';
