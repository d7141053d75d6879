import { type ServerVersion, session } from '#serve/api';
import type { Session } from './session.ts';

/** The version of the server. */
export const serverVersion = (server: Session): Promise<ServerVersion> => server.call(session.version);
