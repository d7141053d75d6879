import { messageLines } from './facts/messages.ts';
import { readMessages } from './facts/notation.ts';

/** The messages of the API. */
export const messages = readMessages(messageLines);
