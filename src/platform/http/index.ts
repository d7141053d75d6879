/**
 * http: listens on a port of this machine until a signal, connects through proxies, and holds the rules for outgoing
 * connections. The caller defines the protocol content.
 *
 * Invariants
 * (1) A client that opens a connection must send its request within seconds; a response may take as long as it needs.
 * (2) After the signal no connection is accepted, open connections end, and the task returns only when every response that
 *     was begun has ended.
 * (3) The error for a port that cannot be opened names the flag that chooses another.
 * (4) Which addresses may be connected to is decided by one table (address-policy.ts), after the name was resolved; the
 *     caller connects to the address that was checked.
 * (5) A connection through a proxy is made in one place (dial-proxy.ts), for repositories and clusters alike; no error
 *     repeats the login.
 * (6) One port speaks TLS or plain HTTP, and HTTP/1 or HTTP/2; which of them, and with which certificate, is decided for each
 *     connection. A connection that speaks what is not spoken now is closed at once.
 * (7) A name server that does not respond delays only the lookups of that name.
 */
export { type AddressPolicy, kindOf, permits } from './address-policy.ts';
export { connected, dialProxy } from './dial-proxy.ts';
export { isLoopback, listenHttp } from './listen.ts';
export { bareHost, bracketed, decoded, type ProxyAddress, parseProxy } from './proxy-address.ts';
export { HostResolver } from './resolve-host.ts';
export type { TlsState } from './tls-port.ts';
export type { UpgradedConnection } from './upgrades.ts';
