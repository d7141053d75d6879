/**
 * web-socket: both ends of a WebSocket over a connection that the caller has made. The only room that uses the library.
 *
 * Invariants
 * (1) Messages have a size limit; an end that violates the protocol is cut off, and its messages simply end.
 * (2) A reader that is slower than the sender pauses the connection: few messages wait in memory.
 * (3) Whether a connection may become a WebSocket is for the caller to decide before it accepts.
 */
export { acceptSocket, refuseUpgrade } from './accept.ts';
export { connectSocket, UpgradeRefused } from './connect.ts';
export { WebSocketEnd } from './web-socket-end.ts';
