/**
 * # kube: the Kubernetes API as functions
 *
 * Verbs, watch, discovery and credentials for any kind of object, on any cluster: a real one over the
 * network, or one that runs in this process. A client is one value, `createKubeClient({ transport })`; a
 * transport is one function.
 *
 * It promises:
 *
 * 1. **Raw in, raw out.** Objects are JSON as the server wrote it: no field is dropped, no order changed, no
 *    number rounded, no date parsed. The one addition is the apiVersion and kind that servers leave out of
 *    list items.
 * 2. **An API error is a KubeError** with the server's own `reason`; an unreachable server is a FairleadError
 *    `Unavailable` with an explanation. Neither ever holds a credential, nor the bytes of an object.
 * 3. **Kinds come from discovery.** It is read once, shared, and read again when a kind is missing or its URL
 *    is gone. A kind that the cluster does not serve is KubeError `NoMatch`; a kind whose API server is
 *    unavailable is `ServiceUnavailable`, never mistaken for absent.
 * 4. **`listWatch` has no gaps.** After SYNCED, every change arrives, in order; when changes may have been
 *    missed, SYNCED comes again with the complete list. It ends only with its `ctx`.
 * 5. **`Retry-After` is honoured**, within the caller's `ctx`.
 * 6. **Watches never starve requests**: when a connection carries as many as the server allows, another is
 *    opened.
 * 7. **Credentials stay current.** Token and key files are read again, plugins run again before expiry and
 *    after a 401. Over plain http no credentials are sent.
 *
 * It does not cache objects (that is `live`), retry writes that may have happened, read an environment, or
 * build a URL from a name with path segments.
 */
export { inClusterAccess } from './access/in-cluster.ts';
export { loadKubeconfig } from './access/kubeconfig.ts';
export { registeredAccess } from './access/registered-cluster.ts';
export { type Collection, type ObjectRef, refOf } from './api.ts';
export { createKubeClient, type KubeClient } from './client.ts';
export type { KindRef } from './discovery.ts';
export type { ApiResource } from './discovery-document.ts';
export { hasReason, KubeError } from './errors.ts';
export type { ExecSession } from './exec.ts';
export { type ListWatchEvent, listWatch } from './list-watch.ts';
export { networkTransport } from './network/network-transport.ts';
export type { KubeRequest, KubeResponse, OpenStream, Transport } from './transport.ts';
export type { DeleteOptions, WriteOptions } from './verbs.ts';
