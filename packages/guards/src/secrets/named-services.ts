import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { entropy, isPlaceholder } from './randomness.ts'

/**
 * Services whose keys have no prefix. A value of this form is found if it is assigned to a name that contains the
 * service's name. Grouped by form.
 */
const SERVICES: readonly (readonly [form: RegExp, names: string])[] = [
  [/^[0-9a-f]{32}$/i, 'adobe facebook finicity'],
  [/^[0-9a-f]{37}$/i, 'cloudflare'],
  [/^[0-9a-f]{40}$/i, 'meraki sendbird sonar sourcegraph wandb cloudsmith'],
  [/^[0-9a-f]{64}$/i, 'discord sentry'],
  [
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    'heroku hubspot messagebird snyk squarespace sendbird octopus kucoin',
  ],
  [/^00[\w=-]{40}$/, 'okta'],
  [/^su[A-Za-z0-9]{12}$/, 'sumo sumologic'],
  [/^[A-Za-z0-9]{14,17}$/, 'linkedin airtable dropbox confluent'],
  [
    /^[A-Za-z0-9]{20,25}$/,
    'atlassian jira confluence finnhub looker finicity kucoin travis plaid etsy messagebird twitter',
  ],
  [
    /^[A-Za-z0-9]{26,32}$/,
    'alibaba bitbucket bittrex codecov droneci flickr privateai mattermost twitch plaid',
  ],
  [/^[\w=-]{32}$/, 'adafruit algolia asana discord fastly nytimes trello'],
  [/^[\w=-]{40}$/, 'cloudflare cohere datadog gitter launchdarkly zendesk'],
  [/^[\w=-]{40,50}$/, 'contentful netlify rapidapi twitter sonar'],
  [
    /^[\w=-]{60,64}$/,
    'intercom freshbooks coinbase confluent bitbucket jfrog sumo sumologic newrelic new_relic',
  ],
  [/^[A-Za-z0-9]{73}$/, 'jfrog artifactory'],
  [/^[\w/+=-]{80,90}$/, 'kraken'],
]

const NAMES = [...new Set(SERVICES.flatMap(([, names]) => names.split(' ')))].sort(
  (a, b) => b.length - a.length,
)

function inAnyCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + inAnyCase(name.slice(1))
}

/**
 * The recognizers for {@link SERVICES}. The pattern already excludes most positions within a word, which
 * {@link isWord} would reject, so that there are fewer candidates.
 */
export const namedServices: PatternRecognizer[] = [
  {
    type: 'service_key',
    pattern: new RegExp(
      `(?:(?<![A-Za-z])(?:${NAMES.map(inAnyCase).join('|')})|(?<![A-Z])(?:${NAMES.map(capitalized).join('|')}))[\\w.-]{0,24}["'\`\\]]{0,2}[ \\t]{0,8}(?:[:?|!.]{0,3}={1,3}>?|:|,)[ \\t]{0,8}["'\`]{0,2}[\\w/+=-]{14,90}["'\`\\s;,]?`,
    ),
    score: (match, before) => {
      const key = keyOf(match)
      const service = match.toLowerCase()
      if (!isWord(NAME.exec(match)?.[0] ?? '', before, match)) return 0
      if (isPlaceholder(key) || entropy(key) < 2.8 || !/\d/.test(key)) return 0
      return SERVICES.some(
        ([form, names]) => form.test(key) && names.split(' ').some((name) => service.startsWith(name)),
      )
        ? 0.85
        : 0
    },
    part: (match) => {
      const end = match.search(/["'`\s;,]?$/)
      return [end - keyOf(match).length, end]
    },
  },
]

const NAME = new RegExp(`^(?:${NAMES.join('|')})`, 'i')

/** Whether a name is a separate word, as in `my_okta_key`, `OKTA_KEY` and `myOktaKey`, but not in `rookTable`. */
function isWord(name: string, before: string, match: string): boolean {
  const next = match.charAt(name.length)
  if (name === name.toUpperCase()) return !/[A-Za-z]$/.test(before) && !/[A-Za-z]/.test(next)
  if (/[a-z]/.test(next) || !/^[A-Za-z][a-z]{2,}(?:[A-Z][a-z]{2,})*$/.test(name)) return false
  return /^[A-Z]/.test(name) ? !/[A-Z]$/.test(before) : !/[A-Za-z]$/.test(before)
}

function keyOf(match: string): string {
  return /([\w/+=-]+)["'`\s;,]?$/.exec(match)?.[1]?.replace(/^[=]+/, '') ?? ''
}
