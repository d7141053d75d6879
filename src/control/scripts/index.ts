/**
 * scripts: users' Lua scripts from argocd-cm, run in sandboxed workers.
 *
 * Promises
 * (1) Objects that have health scripts are sent to the workers in batches; a result is cached for as long as the object
 * stays.
 * (2) A broken script is a health result of its objects, never a failed comparison.
 * (3) Nothing is started until the first script is to run.
 */
export { createScripts, type Scripts } from './scripts.ts';
