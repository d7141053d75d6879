/**
 * server: the API. Who you are, what you asked, and the answer; and the files of the web UI.
 *
 * Invariants
 * (1) Nothing under /api/v1 but the session is answered without a valid token. A webhook needs none: all it can bring
 *     about is that somebody looks again.
 * (2) A request that changes something writes an object and answers; the controller sees the object. There is no other
 *     way from here to there. Only a resource action writes to a destination itself, as whoever writes for the
 *     application, and only what its project permits.
 * (3) A write that was answered is in the cluster: the server keeps nothing that a restart would lose.
 * (4) No answer, stream or error holds a secret's value, a path of this machine or a stack.
 * (5) What changes something must be sent as JSON: a form of another site cannot.
 */
export type { LoginLimits } from './auth/login.ts';
export { openAuth } from './auth/open-auth.ts';
export { listenServer, type ServerDeps } from './server.ts';
export { forwardPushes } from './webhook/forward.ts';
export { tellUnverified } from './webhook/hosts.ts';
export { PushRecord } from './webhook/push-record.ts';
