/**
 * The pages for operators: answers requests that the API has authorized. They are read without JavaScript, load nothing
 * from another host, and say what is not known instead of guessing it.
 */
import { DomainError } from '../domain/kernel/errors.js';
import { type PageAnswer, page } from './pages/answer.js';
import { change } from './pages/change.js';
import { formTokens } from './pages/form-tokens.js';
import type { PageRequest, PageServices } from './pages/request.js';
import { SHOWN } from './pages/shown.js';
import type { Forms } from './view/forms.js';
import { html } from './view/html.js';
import { layout } from './view/layout.js';
import { brokenParts, type NowView } from './view/now-page.js';
import { STYLE } from './view/style.js';

const OWN = /^\/admin(?:\/|\/(?:work|endpoints|fleet|actions|style\.css|jobs\/[^/]+|actions\/[^/]+(?:\/stop)?))?$/;

/** Whether an address belongs to these pages. */
export function isOperatorPage(path: string): boolean {
  return OWN.test(path);
}

/** @throws DomainError for what cannot be shown or done; the caller presents it with `errorPage` */
export async function answerPage(services: PageServices, request: PageRequest): Promise<PageAnswer> {
  const { method, path } = request;
  if (path === '/admin/style.css') {
    return { ...page(200, ''), type: 'text/css', body: STYLE, headers: { 'Cache-Control': 'max-age=300' } };
  }
  const now = new Date();
  const forms: Forms = { token: formTokens(services.config, request.actor, now)[0] ?? '' };
  if (method === 'POST') return change(services, request, forms, now);
  const [, , section = '', id = ''] = path.split('/');
  const show = SHOWN[id === '' ? section : `${section}/`];
  if (show === undefined) throw new DomainError('not-found', 'PAGE_NOT_FOUND', 'there is no such page');
  const { title, at, content, refreshes } = await show({ ...services, request, forms, now, id });
  const refresh = Number(request.query.get('refresh') ?? '');
  const again = refresh >= 1 && refresh <= 3_600 ? { Refresh: String(Math.floor(refresh)) } : {};
  return page(200, layout({ title, at, content, now, ...(refreshes === undefined ? {} : { refreshes }) }), again);
}

/** The page of an error. */
export function errorPage(status: number, message: string): PageAnswer {
  const content = html`<section><p class="answer">${message}.</p><p><a href="/admin">Back to Now</a></p></section>`;
  return page(status, layout({ title: `Not done (${status})`, at: '', content, now: new Date(), refreshes: false }));
}

/**
 * The page while a part is down without which nobody can be authorized. It shows what /readyz shows to everybody.
 * @returns null: no part is down
 */
export function outagePage(parts: NowView['parts']): PageAnswer | null {
  if (!Object.values(parts).some(({ status }) => status === 'down')) return null;
  const content = html`<section id="wrong"><h2>Is anything wrong?</h2><ul class="plain">${brokenParts(parts)}</ul></section>`;
  return page(503, layout({ title: 'Now', at: '/admin', content, now: new Date() }), { 'Retry-After': '2' });
}
