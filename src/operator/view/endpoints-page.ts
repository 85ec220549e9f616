/** The page Endpoints: circuit breakers, backlogs and last errors. */
import type { Endpoint, EndpointList } from '../read/endpoints.js';
import { actionButton, type Forms } from './forms.js';
import { type Html, html } from './html.js';
import { ago, due, ownerLink, pill, table } from './layout.js';

interface EndpointsView {
  readonly now: Date;
  readonly list: EndpointList;
  /** The account that was asked for; undefined: endpoints that do not work, of all accounts. */
  readonly account: string | undefined;
  readonly forms: Forms;
}

export function endpointsPage({ now, list, account, forms }: EndpointsView): Html {
  const filter = account === undefined ? {} : { account };
  return html`<section><form class="search" action="/admin/endpoints" method="get">
<label>Account (id or name) <input name="account" value="${account}"></label><button>Show its endpoints</button>
${account !== undefined && html`<a href="/admin/endpoints">Show those that do not work, of all accounts</a>`}
</form></section>
<section><h2>${account === undefined ? 'Endpoints that do not work' : `Endpoints of ${account}`}</h2>
${endpointTable(list, now, account === undefined ? NONE_FAILS : 'There is no such account, or it has no endpoint.', forms)}
${
  list.endpoints.length > 0 &&
  html`<div class="actions">${actionButton(forms, 'resume', filter, account === undefined ? 'Resume all that do not work' : 'Resume all of this account')}
${account !== undefined && actionButton(forms, 'replay', filter, 'Replay the failed deliveries of a day')}</div>`
}</section>`;
}

export const NONE_FAILS = 'Every circuit breaker is closed, and no attempt has failed within 5 minutes.';

/** @param forms undefined: without actions */
export function endpointTable({ endpoints, more }: EndpointList, now: Date, empty: string, forms?: Forms): Html {
  return html`${table(
    'Endpoints',
    [
      'Endpoint',
      'Whose',
      'Failed attempts',
      'Circuit breaker',
      'Backlog',
      'Next attempt',
      'Last error',
      ...(forms === undefined ? [] : ['Actions']),
    ],
    endpoints.map((endpoint) => [
      html`${endpoint.host} <span class="id dim">${endpoint.id}</span>`,
      ownerLink(endpoint),
      failures(endpoint, now),
      breaker(endpoint),
      `${endpoint.backlog}${endpoint.backlogIsLowerBound ? ' or more' : ''}`,
      due(endpoint.nextAttemptAt, now),
      endpoint.lastError === null ? html`–` : html`${endpoint.lastError} (${ago(endpoint.lastErrorAt, now)})`,
      ...(forms === undefined ? [] : [buttons(endpoint, forms)]),
    ]),
    empty,
  )}${more && html`<p class="dim">There are more.</p>`}`;
}

function failures({ failuresInARow, failureRate, failingSince }: Endpoint, now: Date): Html {
  const parts = [
    ...(failuresInARow > 0 ? [html`<strong>${failuresInARow}</strong> in a row`] : []),
    ...(failureRate === null ? [] : [html`${Math.round(100 * failureRate)} % within 5 minutes`]),
    ...(failuresInARow > 0 && failingSince !== null ? [html`the first ${ago(failingSince, now)}`] : []),
  ];
  if (parts.length === 0) return html`<span class="dim">none</span>`;
  return html`${parts.map((part, nth) => html`${nth > 0 && ', '}${part}`)}`;
}

function breaker({ status, disabledReason, breaker: state }: Endpoint): Html {
  if (status === 'DISABLED') return html`${pill('disabled', 'bad')} ${disabledReason}`;
  if (state === 'CLOSED') return pill('closed', 'good');
  return pill(state.toLowerCase().replace('_', ' '), state === 'PAUSED' ? 'plain' : 'bad');
}

function buttons({ id, status }: Endpoint, forms: Forms): Html {
  if (status === 'DISABLED') return html`<span class="dim">its owner enables it</span>`;
  return html`${actionButton(forms, 'resume', { endpoint: id }, 'Resume', id)} ${actionButton(forms, 'replay', { endpoint: id }, 'Replay', id)}`;
}
