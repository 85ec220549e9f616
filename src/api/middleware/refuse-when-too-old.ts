/** Refuses what a process of a release that is older than the database allows would read or write wrongly. */
import type { Middleware } from 'koa';
import type { AllowedRelease } from '../allowed-release.js';
import { HttpProblem } from '../http-problem.js';

/** What platforms and operators ask a process about itself. */
const ABOUT_THE_PROCESS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
/** By then it may have been replaced. */
const RETRY_AFTER = { 'Retry-After': '10' };

export function refuseWhenTooOld(release: Pick<AllowedRelease, 'refusal'>): Middleware {
  return async (ctx, next) => {
    const { refusal } = release;
    if (refusal !== null && !ABOUT_THE_PROCESS.has(ctx.path)) {
      throw new HttpProblem(503, 'RELEASE_TOO_OLD', `${refusal.message}: ${refusal.cure}`, RETRY_AFTER);
    }
    await next();
  };
}
