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
 * (6) Every method that is not public decides with `call.permissions` and no other object; one that responds without having
 *     used it is refused with 500. An open stream ends within a moment when a permission that it was opened with is revoked.
 *
 * How a method declares its permission (compat server §2.8 has the RBAC column):
 * - one application: `findApplication(deps, call, 'sync')` finds it, hides what the caller may not see, and holds the
 *   permission for a stream; further actions with `call.permissions.require(onApplication(deps, app, 'delete'))`;
 * - anything else: `call.permissions.require({ resource: 'clusters', action: 'get', object: server })` before the object is
 *   read, so that absent and forbidden are the same, or `throw hidden()` where §2.4 wants the bare message;
 * - a list or a watch: filter with `call.permissions.may(…)` per item and per event, and call `waive()` for the case of no item;
 * - no RBAC at all (own account, names only): `call.permissions.waive()`.
 * Public routes are made with `open`. gRPC passes the same `MethodCall` to the same methods.
 */

export { openAuditSink } from './audit-sink.ts';
export { hashPassword } from './auth/hash-password.ts';
export type { LoginLimits } from './auth/login.ts';
export { openAuth } from './auth/open-auth.ts';
export type { SsoReach } from './auth/sso/live-provider.ts';
export { type ListenerFlags, listenerOptionsOf } from './listener/listener-options.ts';
export { ConnectionTests } from './methods/repositories/connection-tests.ts';
export { listenServer, type ServerDeps } from './server.ts';
export { forwardPushes, forwardToSets, refreshSets } from './webhook/forward.ts';
export { reportUnverified } from './webhook/hosts.ts';
export { PushRecord } from './webhook/push-record.ts';
