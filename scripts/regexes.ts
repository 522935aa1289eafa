// Finds regular expressions that can take more than linear time: `pnpm check regexes`, or `pnpm check regexes <file …>`. Guards read
// hostile text, and JavaScript's engine backtracks. The checker is installed in a separate folder with its own lockfile.
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { root } from './published-packages.ts'
import { installSeparately } from './separate-install.ts'

const folder = join(root, 'scripts/regexes')

/** The timeout for one expression in milliseconds. An undecided expression is not reported. */
const TIMEOUT = 3_000

/**
 * Files whose expressions may take polynomial time, because their input is short, with its maximum. Exponential time is
 * never allowed.
 */
const SHORT: Readonly<Record<string, string>> = {
  'core/src/storage/search-terms.ts': 'the last characters of a text, as many as a term has at most',
  'guards/src/moderation/openai-moderation.ts': 'an option',
  'guards/src/prompt-injection/layers/noise.ts': 'a word of at most 63 characters',
  'guards/src/prompt-injection/text/leetspeak.ts': 'a word of at most 32 characters',
  'guards/src/scanner/pattern.ts': '24 characters of a pattern',
  'guards/src/secrets/assignment.ts': 'a match of at most 600 characters, and as much before it',
  'guards/src/secrets/kubernetes-secret.ts': 'a match of at most 1,400 characters',
  'guards/src/secrets/named-services.ts': 'a match',
  'guards/src/secrets/private-key.ts': 'a match of at most 2,048 characters',
  'guards/src/secrets/spoken-password.ts': 'a match',
  'memory/src/evaluate/conversations.ts': 'a line of a file with labelled questions',
  'memory/src/message-history/thread-title.ts': 'the beginning of a title',
  'memory/src/semantic-recall/conversation-words.ts': 'constants',
  'memory/src/semantic-recall/read-turns.ts': '600 characters of a message',
  'memory/src/observations/take-notes.ts': 'a line of what the note-taker answers',
  'pii/src/date-of-birth.ts': 'a match',
  'pii/src/evidence.ts': 'as much as counts before a match',
  'pii/src/iban.ts': 'constants',
  'pii/src/ip.ts': 'a match',
  'pii/src/phone.ts': 'a match',
  'pii/src/url.ts': 'a match of at most 1,100 characters',
  'server/src/openai/cleared-sentence.ts': '4,000 characters of an error',
}

/** Replaces the values in a template of an expression. */
const INSERTED = 'name'

/** The fields of a recognizer with expressions that the scanner compiles to an automaton, which does not backtrack. */
const COMPILED = new Set(['pattern', 'repeat', 'last'])

interface Found {
  readonly place: string
  readonly file: string
  readonly source: string
  readonly flags: string
}

/** The part of `recheck` that is used here. */
interface Checker {
  check(
    source: string,
    flags: string,
    options: { timeout: number },
  ): Promise<{ status: string; complexity?: { type: string; summary: string }; attack?: { pattern: string } }>
}

if (installSeparately(folder, { command: 'pnpm check regexes' })) {
  const { check } = createRequire(join(folder, 'package.json'))('recheck') as Checker
  const all = regexes(process.argv.slice(2))
  let slow = 0
  for (const { place, file, source, flags } of all) {
    // The checker does not support the flag `v`; its features are not used here.
    const { status, complexity, attack } = await check(source, flags.replace('v', 'u'), { timeout: TIMEOUT })
    if (status !== 'vulnerable' || (complexity?.type === 'polynomial' && Object.hasOwn(SHORT, file))) continue
    slow++
    console.log(`${place}  ${complexity?.summary}, for example ${attack?.pattern}\n  /${source}/${flags}`)
  }
  console.log(`${slow} of ${all.length} regular expressions can take more than linear time.`)
  if (slow > 0) process.exitCode = 1
} else {
  process.exitCode = 1
}

/** The expressions in the packages' code or in the given files, except those that a scanner compiles. */
function regexes(only: readonly string[]): Found[] {
  const files = globSync(only.length > 0 ? [...only] : 'packages/*/src/**/*.ts', {
    cwd: root,
    exclude: ['**/*.test.ts', 'packages/injection-model/**', 'packages/testing/**'],
  })
  return files.sort().flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const compiled = new Set<number>()
    const found: Found[] = []
    const add = (start: number, source: string, flags: string): void => {
      if (compiled.has(start)) return
      const line = text.slice(0, start).split('\n').length
      found.push({ place: `${path}:${line}`, file: path.replace('packages/', ''), source, flags })
    }
    new Visitor({
      Property({ key, value }) {
        const isCompiled =
          key.type === 'Identifier' && COMPILED.has(key.name) && /^packages\/(?:guards|pii)\//.test(path)
        if (isCompiled) compiled.add(value.start)
      },
      Literal(node) {
        if ('regex' in node) add(node.start, node.regex.pattern, node.regex.flags)
      },
      NewExpression({ start, callee, arguments: [pattern, flags] }) {
        if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || pattern?.type !== 'TemplateLiteral')
          return
        const source = pattern.quasis.map(({ value }) => value.cooked).join(INSERTED)
        add(start, source, flags?.type === 'Literal' ? String(flags.value) : '')
      },
    }).visit(parseSync(path, text).program)
    return found
  })
}
