/**
 * # render: what a source says should exist, worked out from its files
 *
 * Plain YAML, JSON and Jsonnet are rendered here. Kustomize and Helm are planned here: which file to change, which words to put on
 * the command line, which parts of the repository the engine will look at. Running them is somebody else's hands.
 *
 * It promises:
 *
 * 1. **It sees a FileTree and nothing else.** Whatever the result depends on was asked of the tree, what was missing
 *    included; a recorded tree therefore holds everything that a cache needs to know.
 * 2. **It knows no application.** Namespaces, tracking and duplicates are dealt with later, so that one result serves
 *    every application that renders the same files in the same way. What differs comes in as parameters.
 * 3. **It follows Argo CD's rules**, sentence for sentence where users match on them, and names the file and the line.
 * 4. **Hostile text costs what it weighs.** Patterns are matched without backtracking and YAML is read within limits.
 *
 * It fetches nothing. Remote Kustomize bases are read as what they name and told; value files of URLs are given to it.
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
export { type RefNames, substitute, unknownVariable } from './substitute.ts';
