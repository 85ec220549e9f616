/** An assistant that uses `longshore mcp`: a process of its own, and the client of the SDK. */
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type Place, PROGRAM } from './command-line.js';

/** More than an assistant should have to read at once, with what stands around a page. */
const MOST_CHARACTERS = 45_000;

export interface Told {
  /** What the tool says in words. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each tool answers something else, which the tests look at.
  readonly data: any;
}

interface Failure {
  readonly text: string;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly status?: number;
    readonly advice?: string;
    readonly problems?: readonly { readonly path?: string; readonly message: string }[];
    readonly file?: { readonly id: string };
  };
}

export interface Assistant {
  readonly client: Client;
  /** Calls a tool. @throws AssertionError when it fails, or answers more than an assistant can read */
  use(tool: string, given?: Record<string, unknown>): Promise<Told>;
  /** Calls a tool that must fail. */
  fail(tool: string, given?: Record<string, unknown>): Promise<Failure>;
  /** What is wrong with an input that does not even reach the tool. */
  refuse(tool: string, given?: Record<string, unknown>): Promise<string>;
  /** What the process has written for people. */
  log(): string;
  stop(): Promise<void>;
}

/** @param args of the command */
export async function startAssistant({ cwd, env }: Place, args: readonly string[] = []): Promise<Assistant> {
  const { PATH = '', HOME = '' } = process.env;
  const started = { command: process.execPath, args: [PROGRAM, 'mcp', ...args], cwd, env: { PATH, HOME, ...env } };
  const transport = new StdioClientTransport({ ...started, stderr: 'pipe' });
  let log = '';
  transport.stderr?.on('data', (text: Buffer) => {
    log += text.toString();
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  // With the list, the client knows what each tool answers, and checks it.
  await client.listTools();
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: given });
    const texts = (content as { readonly text: string }[]).map(({ text }) => text);
    return { isError, texts, structuredContent };
  };
  return {
    client,
    use: async (tool, given) => {
      const { isError, texts, structuredContent } = await call(tool, given);
      assert.equal(isError, false, `${tool}: ${texts.join('\n')}`);
      const [text = '', json = ''] = texts;
      assert.deepEqual(JSON.parse(json), structuredContent, 'both forms say the same');
      assert.ok(json.length < MOST_CHARACTERS, `${tool} answers ${json.length} characters`);
      return { text, data: structuredContent };
    },
    fail: async (tool, given) => {
      const { isError, texts } = await call(tool, given);
      assert.equal(isError, true, `${tool} has not failed: ${texts.join('\n')}`);
      const [text = '', json = ''] = texts;
      return { text, ...(JSON.parse(json) as Pick<Failure, 'error'>) };
    },
    refuse: async (tool, given) => {
      const { isError, texts } = await call(tool, given);
      assert.equal(isError, true, `${tool} has taken it: ${texts.join('\n')}`);
      assert.equal(texts.length, 1);
      return texts[0] ?? '';
    },
    log: () => log,
    stop: () => client.close(),
  };
}
