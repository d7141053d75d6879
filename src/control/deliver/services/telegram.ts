import { FairleadError } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { below, json, text } from '../fields.ts';
import type { ServiceAnswer, ServiceKind } from '../service.ts';

/** The Bot API refuses a longer one. */
const longestText = 4096;
const tokenForm = /^[\w:-]+$/;

/** compat server §6.6: sendMessage of Telegram's Bot API; the text is Markdown, or plain where it cannot be read as that. */
export const telegram: ServiceKind = {
  required: ['token'],
  optional: ['apiURL'],
  async send(ctx, reach, { options, recipient, notification }) {
    const token = text(options, 'token');
    if (!tokenForm.test(token)) throw new FairleadError('Auth', 'token is not that of a bot of Telegram');
    const [chat = '', thread] = recipient.split('|');
    const body = {
      chat_id: /^-?\d+$/.test(chat) ? Number(chat) : `@${chat.replace(/^@/, '')}`,
      ...(thread && { message_thread_id: Number(thread) }),
      text: notification.message.slice(0, longestText),
    };
    const url = below(text(options, 'apiURL') || 'https://api.telegram.org', `bot${token}/sendMessage`);
    const post = (mode: object) =>
      reach.request(ctx, { url, headers: json, body: JSON.stringify({ ...body, ...mode }) });
    const answer = await post({ parse_mode: 'Markdown' });
    requireAccepted(isNoMarkdown(answer) ? await post({}) : answer);
  },
};

/** A field's name with one `_`, or a `[` in an error, is refused as Markdown; as plain text it arrives. */
const isNoMarkdown = ({ status, text: said }: ServiceAnswer): boolean =>
  status === 400 && said.includes("can't parse entities");
