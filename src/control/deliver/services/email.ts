import { createTransport } from 'nodemailer';
import { type Ctx, FairleadError } from '#base/std';
import { filled, flag, partOf, text } from '../fields.ts';
import type { Delivery, ServiceKind, ServiceReach } from '../service.ts';

const address = /^[^\s,;<>@"]+@[^\s,;<>@"]+$/;
const timeoutMs = 30_000;

/** compat server §6.6: SMTP; with TLS from the start on port 465, else with STARTTLS where the server offers it. */
export const email: ServiceKind = {
  required: ['host', 'port', 'from'],
  optional: ['username', 'password', 'html', 'insecure_skip_verify'],
  async send(ctx, reach, delivery) {
    const { recipient, notification } = delivery;
    if (!address.test(recipient))
      throw new FairleadError('InvalidSpec', `${recipient || 'an empty recipient'} is not an email address`);
    const part = partOf(delivery);
    const body = filled(part, 'body') ?? notification.message;
    const isHtml = flag(delivery.options, 'html');
    await sendMail(ctx, reach, delivery, {
      from: text(delivery.options, 'from'),
      to: [recipient],
      subject: (filled(part, 'subject') ?? '').replace(/\s+/g, ' '),
      ...(isHtml ? { html: body } : { text: body }),
    });
  },
};

type Mail = {
  readonly from: string;
  readonly to: string[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
};

async function sendMail(ctx: Ctx, reach: ServiceReach, { options }: Delivery, mail: Mail): Promise<void> {
  const [host, port] = [text(options, 'host'), Number(text(options, 'port'))];
  const insecure = flag(options, 'insecure_skip_verify');
  const { socket, security } = await reach.dialMail(ctx, { host, port, ...(insecure && { insecure }) });
  const username = filled(options, 'username');
  const { version: _version, ...tls } = security;
  const transport = createTransport({
    ...{ host, port, connection: socket, secure: port === 465, tls },
    // a password does not cross a network in the clear: a server without TLS does not get it
    requireTLS: username !== undefined && !isThisMachine(host),
    ...(username !== undefined && { auth: { user: username, pass: text(options, 'password') } }),
    ...{
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
  });
  const stop = (): void => void socket.destroy(new Error('stopped'));
  ctx.signal.addEventListener('abort', stop, { once: true });
  try {
    await transport.sendMail(mail);
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw failureOf(error);
  } finally {
    ctx.signal.removeEventListener('abort', stop);
    transport.close();
    socket.destroy();
  }
}

/** By its name: behind a proxy of this machine the server is elsewhere. */
const isThisMachine = (host: string): boolean => /^(localhost$|127\.|\[?::1\]?$)/.test(host);

type SmtpError = {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly message?: string;
};

/** A code of 5xx is final, 4xx is for later (RFC 5321). The server's own words never contain the password. */
function failureOf(error: unknown): FairleadError {
  const { code, responseCode = 0, response, message } = error as SmtpError;
  const said = response ?? message ?? code ?? '';
  if (code === 'EAUTH')
    return new FairleadError(
      'Auth',
      `the mail server refused the login: ${said}; check username and password`,
    );
  if (code === 'ETLS') return new FairleadError('InvalidSpec', `no TLS with the mail server: ${said}`);
  const isFinal = responseCode >= 500 || code === 'EENVELOPE';
  return new FairleadError(
    isFinal ? 'InvalidSpec' : 'Unavailable',
    `the mail server did not take it: ${said}`,
  );
}
