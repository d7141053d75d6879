import { spawn } from 'node:child_process';
import { FairleadError } from '#base/std';

/** Runs a program of the user's choice, such as an editor, on their terminal, and returns its exit code. */
export function runProgram(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { stdio: 'inherit' });
    child.on('error', (error) =>
      reject(new FairleadError('NotFound', `cannot run ${command}: ${error.message}`, error)),
    );
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
