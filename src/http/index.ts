/**
 * http: a port of this machine, answered until a signal. What is said there is the business of whoever listens.
 *
 * Invariants
 * (1) Who opens a connection has to say what for, within seconds; an answer may take as long as it likes.
 * (2) When the signal comes nobody is let in, open connections end, and the task returns only when every answer that was
 *     begun has ended.
 * (3) A port that cannot be had is told with the flag that chooses another.
 */
export { type ListenOptions, listenHttp } from './listen.ts';
