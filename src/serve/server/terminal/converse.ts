import { type Ctx, FairleadError, isObject, joined, parseJson, printJson } from '#base/std';
import type { ExecSession } from '#kubernetes/client';
import type { WebSocketEnd } from '#platform/web-socket';
import type { ShellTarget } from './open-shell.ts';

const pingMs = 5_000;
const maxColumns = 1_000;

/** compat server §2.9: a message to the page. */
export const printed = (data: string): string => printJson({ operation: 'stdout', data, rows: 0, cols: 0 });

/** Connects the page with the first shell that the container has, until either of them ends. */
export async function converse(ctx: Ctx, end: WebSocketEnd, target: ShellTarget): Promise<void> {
  const over = new AbortController();
  const { signal, release } = joined(ctx.signal, over.signal);
  const inner = { ...ctx, signal };
  const keyboard = new Keyboard();
  const typed = keyboard.read(end).finally(() => over.abort());
  const kept = keptAlive(inner, end);
  try {
    await firstShell(inner, end, { target, keyboard });
  } catch (error) {
    if (!signal.aborted) await end.sent(printed(`${FairleadError.from(error).message}\r\n`));
  } finally {
    over.abort();
    end.close();
    release();
    await Promise.all([typed, kept]);
  }
}

type Shells = { readonly target: ShellTarget; readonly keyboard: Keyboard };

async function firstShell(ctx: Ctx, end: WebSocketEnd, { target, keyboard }: Shells): Promise<void> {
  const reasons: string[] = [];
  for (const shell of target.shells) {
    const session = await target.open(ctx, shell);
    keyboard.use(session);
    await printAll(end, session);
    const { code, message } = session.end();
    if (ctx.signal.aborted || keyboard.wasUsed || !notStarted.has(code)) return;
    reasons.push(`${shell}: ${message || `ended with ${code}`}`);
  }
  const text = `no shell of exec.shells could be started: ${reasons.join('; ')}`;
  throw new FairleadError('NotFound', text);
}

/** Codes of a program that was not found or could not be started; the last is what a cluster reports without a code. */
const notStarted = new Set([126, 127, 255]);

async function printAll(end: WebSocketEnd, session: ExecSession): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of session.output) await end.sent(printed(decoder.decode(bytes, { stream: true })));
}

async function keptAlive(ctx: Ctx, end: WebSocketEnd): Promise<void> {
  while (!ctx.signal.aborted) {
    await ctx.clock.sleep(pingMs, ctx.signal).catch(() => {});
    if (!ctx.signal.aborted) end.ping();
  }
}

/** What the page sends, for the shell of the moment; the size of the terminal also for the next one. */
class Keyboard {
  /** Whether anything was typed: then a shell was there. */
  wasUsed = false;
  #session: ExecSession | undefined;
  #size: { columns: number; rows: number } | undefined;

  use(session: ExecSession): void {
    this.#session = session;
    if (this.#size) session.resize(this.#size);
  }

  /** Resolves when the page has left. */
  async read(end: WebSocketEnd): Promise<void> {
    for await (const message of end.messages()) await this.#take(read(message));
    this.#session?.close();
  }

  async #take({ operation, data, rows, cols }: Readonly<Record<string, unknown>>): Promise<void> {
    if (operation === 'stdin' && typeof data === 'string') {
      this.wasUsed = true;
      await this.#session?.write(data);
    }
    if (operation !== 'resize') return;
    this.#size = { columns: cells(cols), rows: cells(rows) };
    this.#session?.resize(this.#size);
  }
}

/** A message that is not readable says nothing. */
function read(message: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(message.toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const cells = (value: unknown): number => Math.min(maxColumns, Math.max(1, Math.trunc(Number(value)) || 1));
