/**
 * http: a port of this machine, answered until a signal, and the rules for connections that leave it. What is said there is
 * the business of whoever listens or connects.
 *
 * Invariants
 * (1) Who opens a connection has to say what for, within seconds; an answer may take as long as it likes.
 * (2) When the signal comes nobody is let in, open connections end, and the task returns only when every answer that was
 *     begun has ended.
 * (3) A port that cannot be had is told with the flag that chooses another.
 * (4) Which addresses may be connected to is decided by one table (address-policy.ts), after the name was resolved; the
 *     caller connects to the address that was decided about.
 * (5) A name server that keeps silent delays only who asked for that name.
 */
export { type AddressPolicy, kindOf, permits } from './address-policy.ts';
export { isLoopback, listenHttp } from './listen.ts';
export { HostResolver } from './resolve-host.ts';
