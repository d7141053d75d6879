import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { ExitError, type Io } from '#serve/cli';

type Input = Readable & { readonly isTTY?: boolean; ref?(): unknown; unref?(): unknown };
type Ends = {
  readonly input: Input;
  /** Where questions are written, and what a user types is echoed. */
  readonly output: Writable;
};

/**
 * Prompts for lines of an input. Rejects with exit code 20 and the remedy when the input ends before an answer, and with 130 when the
 * user presses Ctrl-C.
 */
export function promptOn({ input, output }: Ends): Io['prompt'] {
  const nextLine = linesOf(input);
  return async (question, { hidden = false } = {}) => {
    const answer = input.isTTY
      ? await typed({ input, output }, question, hidden)
      : await piped(nextLine, output, question);
    if (answer !== undefined) return answer;
    throw new ExitError(
      20,
      `no answer to '${question.trim()}': standard input has ended; give the answer with a flag, see --help`,
    );
  };
}

async function piped(
  nextLine: () => Promise<string | undefined>,
  output: Writable,
  question: string,
): Promise<string | undefined> {
  output.write(question);
  const answer = await nextLine();
  output.write('\n');
  return answer;
}

/** A line from a terminal; a hidden one is not echoed. Undefined: Ctrl-D. */
async function typed(
  { input, output }: Ends,
  question: string,
  hidden: boolean,
): Promise<string | undefined> {
  if (input.readableEnded) return undefined;
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (hidden) output.write(question);
  const lines = createInterface({ input, output: hidden ? muted : output, terminal: true });
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      lines.once('SIGINT', () => reject(new ExitError(130, '')));
      lines.once('close', () => resolve(undefined));
      lines.question(hidden ? '' : question).then(resolve, reject);
    });
  } finally {
    lines.close();
    if (hidden) output.write('\n');
  }
}

/**
 * Lines of an input that is no terminal, one at a time: what has arrived after a line is kept for the next question. Between two
 * questions a pipe that stays open does not keep the process alive.
 */
function linesOf(input: Input): () => Promise<string | undefined> {
  let text = '';
  let isEnded = false;
  return async () => {
    input.ref?.();
    while (!isEnded && !text.includes('\n')) {
      const chunk = await nextChunk(input);
      if (chunk === undefined) isEnded = true;
      else text += chunk;
    }
    input.unref?.();
    if (text === '') return undefined;
    const [line = '', ...rest] = text.split('\n');
    text = rest.join('\n');
    return line.replace(/\r$/, '');
  };
}

/** Undefined at the end of the input. */
function nextChunk(input: Readable): Promise<string | undefined> {
  input.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      input.pause();
      input.off('data', onData).off('end', onEnd).off('error', onError);
      done();
    };
    const onData = (chunk: string) => settle(() => resolve(chunk));
    const onEnd = () => settle(() => resolve(undefined));
    const onError = (error: Error) => settle(() => reject(error));
    if (input.readableEnded) return resolve(undefined);
    input.on('data', onData).on('end', onEnd).on('error', onError).resume();
  });
}
