import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { entropy, isPlaceholder } from './randomness.ts'

/**
 * Services whose keys have no prefix: a value of the right form that is assigned to something of the service's name.
 * By form, the services.
 */
const SERVICES: readonly (readonly [form: RegExp, names: string])[] = [
  [
    /^[0-9a-f]{32}$/i,
    'adobe algolia bitbucket bittrex codecov discord droneci facebook fastly finicity flickr nytimes privateai trello asana',
  ],
  [
    /^[0-9a-f]{40}$/i,
    'datadog meraki gitter sendbird sonar sourcegraph wandb zendesk launchdarkly cloudsmith',
  ],
  [/^[0-9a-f]{64}$/i, 'discord sentry coinbase newrelic'],
  [
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    'heroku hubspot messagebird snyk squarespace sendbird octopus',
  ],
  [/^00[\w=-]{40}$/, 'okta'],
  [/^[A-Za-z0-9]{20,24}$/, 'atlassian jira confluence finnhub looker kraken'],
  [/^[\w-]{32}$/, 'adafruit fastly algolia asana bittrex codecov droneci flickr nytimes trello'],
  [/^[\w-]{40}$/, 'cloudflare cohere netlify sonar datadog gitter'],
  [/^[\w-]{43}$/, 'contentful'],
  [/^[\w=-]{60,64}$/, 'intercom freshbooks coinbase confluent bitbucket jfrog sumo sumologic'],
  [/^[A-Za-z0-9]{73}$/, 'jfrog artifactory'],
  [/^su[A-Za-z0-9]{12}$/, 'sumo sumologic'],
  [/^[A-Za-z0-9]{24,32}$/, 'plaid etsy mattermost twitch twitter messagebird'],
  [/^[\w-]{44,50}$/, 'rapidapi netlify twitter'],
  [/^[A-Za-z0-9]{14,17}$/, 'linkedin airtable dropbox confluent'],
  [/^[\w/+=-]{80,90}$/, 'kraken'],
]

const NAMES = [...new Set(SERVICES.flatMap(([, names]) => names.split(' ')))].sort(
  (a, b) => b.length - a.length,
)

/** Recognisers of {@link SERVICES}. */
export const namedServices: PatternRecognizer[] = [
  {
    type: 'service_key',
    pattern: new RegExp(
      `(?:${NAMES.join('|')})[\\w.-]{0,24}["'\`\\]]{0,2}[ \\t]{0,8}(?:[:?|]{0,3}=>?|:|,)[ \\t]{0,8}["'\`]{0,2}[\\w/+=-]{14,90}["'\`\\s;,]?`,
      'i',
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

/** Whether a name is a word of its own, as in `my_okta_key`, `OKTA_KEY` and `myOktaKey`, and not in `rookTable`. */
function isWord(name: string, before: string, match: string): boolean {
  const next = match.charAt(name.length)
  if (name === name.toUpperCase()) return !/[A-Za-z]$/.test(before) && !/[A-Za-z]/.test(next)
  if (/[a-z]/.test(next) || !/^[A-Za-z][a-z]{2,}(?:[A-Z][a-z]{2,})*$/.test(name)) return false
  return /^[A-Z]/.test(name) ? !/[A-Z]$/.test(before) : !/[A-Za-z]$/.test(before)
}

function keyOf(match: string): string {
  return /([\w/+=-]+)["'`\s;,]?$/.exec(match)?.[1]?.replace(/^[=]+/, '') ?? ''
}
