/** What a tool is, and how it is offered to assistants. */
import type { LongshoreClient } from '@longshore/client';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { LocalFiles } from './local-file.js';
import { type Advise, FailedWith, problemAnswer } from './problem.js';
import { fitted } from './small.js';

/** What a tool works with, for one call. */
export interface Call {
  readonly api: LongshoreClient;
  readonly files: LocalFiles;
  /** Aborted when the assistant does not want the answer any more, or has gone. */
  readonly signal: AbortSignal;
  /** Tells the assistant that the call goes on. */
  progress(done: number, total: number): void;
}

/** What a tool answers. The text is ours alone: what stands in the catalog, which others have written, is only in `data`. */
export interface Answer<Data> {
  readonly text: string;
  readonly data: Data;
}

interface ToolFacts<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the assistant. */
  readonly description: string;
  /** `reads` leaves everything as it is; `proposes` leaves a job or a file that waits for people. */
  readonly effect: 'reads' | 'proposes';
  readonly input: Input;
  readonly output: Output;
  run(given: z.output<Input>, call: Call): Promise<Answer<z.input<Output>>>;
}

/** A tool of any input. */
export type Tool = Omit<ToolFacts<z.ZodObject, z.ZodObject>, 'run'> & {
  run(given: unknown, call: Call): Promise<Answer<Record<string, unknown>>>;
};

/** @param facts whose `run` gets what its `input` has parsed */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  facts: ToolFacts<Input, Output>,
): Tool {
  return facts as unknown as Tool;
}

const ANNOTATIONS: Readonly<Record<Tool['effect'], ToolAnnotations>> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  proposes: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
};

export interface Serving {
  readonly api: LongshoreClient;
  readonly files: LocalFiles;
  /** Aborted when the assistant has gone. */
  readonly signal: AbortSignal;
  readonly advise: Advise;
  /** Writes a line for people. */
  readonly log: (line: string) => void;
}

/** Offers a tool. Whatever goes wrong in it is an answer of it, which the assistant reads. */
export function offer(server: McpServer, tool: Tool, { api, files, signal: gone, advise, log }: Serving): void {
  const { name, title, description, effect, input, output, run } = tool;
  const config = { title, description, inputSchema: input, outputSchema: output, annotations: ANNOTATIONS[effect] };
  server.registerTool(name, config, async (given, extra): Promise<CallToolResult> => {
    const progressToken = extra._meta?.progressToken;
    const progress = (done: number, total: number): void => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress: done, total };
      void extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    const signal = AbortSignal.any([gone, extra.signal]);
    try {
      const { text, data } = await run(given, { api, files, signal, progress });
      const structuredContent = fitted(data);
      const json = JSON.stringify(structuredContent);
      // Clients that do not know structured answers read the same as a text.
      return { structuredContent, content: [text, json].map((one) => ({ type: 'text', text: one })) };
    } catch (error) {
      if (!signal.aborted) logProblem(log, name, error);
      return problemAnswer(error, advise);
    }
  });
}

function logProblem(log: Serving['log'], name: string, failure: unknown): void {
  const error = failure instanceof FailedWith ? failure.cause : failure;
  const isExpected = error instanceof Error && 'code' in error;
  log(`${name}: ${isExpected || !(error instanceof Error) ? String(error) : (error.stack ?? error.message)}`);
}
