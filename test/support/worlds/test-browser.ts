/** A real Chromium without a window, as an operator uses it: with a token as the password of Basic. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { findProgram } from './find-program.js';
import { testEnvironment } from './test-environment.js';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

export interface TestBrowser {
  /** A page of its own. */
  open(options?: { readonly colorScheme?: 'light' | 'dark'; readonly password?: string }): Promise<Page>;
  /** The addresses that its pages have asked for. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

/** Skips a test where no Chromium is installed. @throws where REQUIRE_CHROMIUM says that one must be */
export function skipWithoutChromium(test: Mocha.Context): void {
  if (PROGRAMS.map(findProgram).find((path) => path !== undefined) !== undefined) return;
  if (testEnvironment().requireChromium) throw new Error('REQUIRE_CHROMIUM=1 and no chromium was found: install one');
  test.skip();
}

/** @param password undefined: none is sent, and no request is held by the debugger, which would answer preflights itself */
export async function startTestBrowser(baseURL: string, password?: string): Promise<TestBrowser> {
  const executablePath = PROGRAMS.map(findProgram).find((path) => path !== undefined);
  if (executablePath === undefined) throw new Error('no chromium was found: install one');
  // The sandbox needs rights that a container, or root, does not have. The pages are our own.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  const asked: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    asked,
    open: async ({ colorScheme = 'light', password: other = password } = {}) => {
      const context = await browser.newContext({
        ...{ baseURL, colorScheme, viewport: { width: 1280, height: 900 } },
        ...(other === undefined ? {} : { httpCredentials: { username: 'operator', password: other } }),
      });
      contexts.push(context);
      context.on('request', (request) => asked.push(request.url()));
      return context.newPage();
    },
    stop: async () => {
      for (const context of contexts) await context.close();
      await browser.close();
    },
  };
}

/** What axe finds wrong with a page: rule and places. @param within a part of it */
export async function findBarriers(page: Page, within = 'html'): Promise<readonly string[]> {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // The pages allow no scripts; what a debugger evaluates is not one.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
  return page.evaluate(async (place) => {
    const { axe } = globalThis as unknown as { axe: { run(place: string, options: object): Promise<AxeResults> } };
    const { violations } = await axe.run(place, { resultTypes: ['violations'], preload: false });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 300)).join(', ')}`);
  }, within);
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}
