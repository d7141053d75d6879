/**
 * scripts: users' Lua, from argocd-cm, judged and run where it can do no harm.
 *
 * Promises
 * (1) Objects that have health scripts cross to the workers in batches; a verdict is kept for as long as the object stays.
 * (2) A broken script is a verdict on its objects, never a failed comparison.
 * (3) Nothing is started until the first script is to run.
 */
export { createScripts, type Scripts } from './scripts.ts';
