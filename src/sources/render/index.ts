/**
 * # render: the manifests of a source, rendered from its files
 *
 * Plain YAML, JSON and Jsonnet are rendered here. Kustomize and Helm are planned here: which file to change, which
 * words to put on the command line, which parts of the repository the engine will read. The room `manifests` runs them.
 *
 * It promises:
 *
 * 1. **It reads a FileTree and nothing else.** Every input of the result was read from the tree, missing files
 *    included; a recorded tree therefore contains everything that a cache key needs.
 * 2. **It is independent of the application.** Namespaces, tracking and duplicates are handled later, so that one
 *    result serves every application that renders the same files in the same way. Differences are parameters.
 * 3. **It follows Argo CD's rules**, sentence for sentence where users match on them, and names the file and the line.
 * 4. **The cost of hostile text is linear in its size.** Patterns are matched without backtracking and YAML is read
 *    within limits.
 *
 * It fetches nothing. The URLs of remote Kustomize bases are parsed and returned; the caller provides value files of
 * URLs.
 */
export { buildEnv } from './build-env.ts';
export { detectType, sourcePath } from './detect.ts';
export { renderDirectory } from './directory.ts';
export { planHelm } from './helm.ts';
export { checkLock } from './helm-lock.ts';
export type { FileArgument, HelmArgument, HelmContext, HelmPlan, MissingDependency } from './helm-plan.ts';
export { remoteValueFiles } from './helm-values.ts';
export { type KustomizePlan, planKustomize } from './kustomize.ts';
export { type KustomizeClosure, kustomizeClosure } from './kustomize-closure.ts';
export { type RemoteMention, withPlaces } from './kustomize-mention.ts';
export { type BuildOptions, buildOptionsOf } from './kustomize-options.ts';
export { isWebUrl, parseRemoteBase, type RemoteBase } from './kustomize-remote.ts';
export { withOverrides } from './override.ts';
export { parseManifests, readManifests } from './parse.ts';
export { hasMatch, namedPlugin, type Plugin, pluginEnv, readPlugin } from './plugin.ts';
export { foldersWithApps, sourceDetails } from './source-details.ts';
export { type RefNames, substitute, unknownVariable } from './substitute.ts';
