import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium as playwright } from 'playwright-core';

const installed = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser'];

/**
 * A real browser: the machine's own Chrome or Chromium, else the one that comes as an npm package. Its `close` throws when a page
 * has violated its own Content-Security-Policy.
 */
export async function launchBrowser(): Promise<Browser> {
  return guarded(await launched());
}

function guarded(browser: Browser): Browser {
  const violations = new Set<string>();
  const listen = (context: BrowserContext): void => {
    context.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) violations.add(message.text());
    });
  };
  const { newPage, newContext, close } = browser;
  browser.newPage = async (options) => {
    const page = await newPage.call(browser, options);
    listen(page.context());
    return page;
  };
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options);
    listen(context);
    return context;
  };
  browser.close = async (options) => {
    await close.call(browser, options);
    if (violations.size > 0) throw new Error(`the browser reports:\n${[...violations].join('\n')}`);
  };
  return browser;
}

async function launched(): Promise<Browser> {
  const own = onPath(installed);
  if (own) return playwright.launch({ executablePath: own, args: ['--no-sandbox'] });
  // its flags for a one-process sandbox make pages flaky here, and its emulated GPU draws frames later than none
  const unwanted =
    /^--(single-process|headless|use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|in-process-gpu)\b/;
  const args = [...chromium.args.filter((arg) => !unwanted.test(arg)), '--disable-gpu'];
  try {
    return await playwright.launch({ executablePath: await chromium.executablePath(), args });
  } catch (error) {
    if (!String(error).includes('libnss3')) throw error;
    const folder = unpackWithLibraries();
    const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023/lib') };
    return playwright.launch({ executablePath: join(folder, 'chromium'), args, env });
  }
}

/** The package also carries the libraries a bare machine lacks, and unpacks them where it believes itself to need them. */
function unpackWithLibraries(): string {
  const folder = join(tmpdir(), 'fairlead-e2e-chromium');
  mkdirSync(folder, { recursive: true });
  const script = "import('@sparticuz/chromium').then((m) => m.default.executablePath())";
  const env = { ...process.env, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x', TMPDIR: folder };
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, cwd: import.meta.dirname });
  return folder;
}

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(':').filter(Boolean);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
