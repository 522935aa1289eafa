/** Maximum length of what is read of a sentence, and of what the client gets. */
const MAX_READ = 4_000
const MAX_LENGTH = 500

const MARK = '[removed]'

/** The last label of host names, where it is also no word or field name: `input.id` is a path, not a host. */
const TOP_LEVELS =
  'com|net|org|io|ai|dev|app|cloud|co|info|biz|tech|site|eu|uk|de|fr|nl|ch|jp|cn|kr|internal|local|localdomain|corp|lan|intranet|svc|cluster|test|example|invalid'

/** What a provider's sentence must not tell a client. Patterns are bounded: a sentence may come from anywhere. */
const SECRETS: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]}]+/gi, //                                       addresses
  /\b(?:bearer|basic)\s+(?=[a-z]{0,200}[^a-z\s])[\w.~+/=*-]{6,}/gi, //                      authorization headers
  /\b(?:sk|pk|rk|gsk|xai|hf|r8|pplx|nvapi|ghp)[-_][\w*.-]{6,200}/g, //                       keys, masked ones too
  /\b(?:AIza|ya29\.)[\w.-]{10,200}/g, //                                                    Google
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,20}\b/g, //                                                   AWS
  /\beyJ[\w-]{10,}(?:\.[\w-]*){0,4}/g, //                                                   tokens, as JSON Web Tokens
  /\barn:[\w:/.*-]{6,}/gi, //                                                               AWS resources
  /\borg[-_][\w-]{6,100}/gi, //                                                             OpenAI
  /\b(?:proj|user|acct|team|workspace|req)[-_](?=[a-z_-]{0,40}\d)[\w-]{6,100}/gi, //       OpenAI, Anthropic
  /\b(?:projects|organizations|accounts|subscriptions|tenants)\/[\w.@:-]+/gi, //            Google, Azure
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, //                  organisations of Anthropic
  /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, //                                  email addresses
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b/g, //                                           IPv4
  /\[[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\](?::\d{1,5})?/gi, //                             IPv6
  /(?<![0-9a-z:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{0,4}(?![0-9a-z:])/gi, //                   IPv6 without brackets
  /\blocalhost(?::\d{1,5})?\b/gi,
  /\b[a-z][a-z0-9-]{0,62}(?::\d{4,5}|(?:\.[a-z0-9-]{1,63}){1,8}:\d{2,5})\b/gi, //           host:port
  new RegExp(
    `\\b[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){0,8}\\.(?:${TOP_LEVELS})\\b(?:/[^\\s"'<>)\\]}]*)?`,
    'gi',
  ),
  /(?<![\w-])[A-Za-z0-9]{32,}(?![\w-])/g, //                                                keys without a form
]

/**
 * A provider's sentence for a client: one line, without keys, addresses, and ids of the server's account.
 *
 * @param known Texts to remove whatever their form, such as the provider's host
 */
export function clearedSentence(sentence: string, known: readonly string[] = []): string {
  const line = sentence
    .slice(0, MAX_READ)
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  const without = known.reduce((text, part) => (part === '' ? text : text.replaceAll(part, MARK)), line)
  const cleared = SECRETS.reduce((text, pattern) => text.replace(pattern, MARK), without)
  return cleared.slice(0, MAX_LENGTH).toWellFormed()
}
