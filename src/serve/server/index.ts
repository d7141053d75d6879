/**
 * server: the API: authentication, requests and responses; and the files of the web UI.
 *
 * Invariants
 * (1) Nothing under /api/v1 but the session is answered without a valid token. A webhook needs none: all it can cause
 *     is a refresh.
 * (2) A request that changes something writes an object and responds; the controller watches the object. There is no
 *     other connection between them. Only a resource action writes to a destination itself, with the identity that
 *     syncs the application, and only what its project permits.
 * (3) A confirmed write is in the cluster: the server keeps nothing that a restart would lose.
 * (4) No response, stream or error contains a secret's value, a path of this machine or a stack.
 * (5) A request that changes something must be JSON: a form of another site cannot send that.
 */
export type { LoginLimits } from './auth/login.ts';
export { openAuth } from './auth/open-auth.ts';
export { listenServer, type ServerDeps } from './server.ts';
export { forwardPushes } from './webhook/forward.ts';
export { tellUnverified } from './webhook/hosts.ts';
export { PushRecord } from './webhook/push-record.ts';
