// Words that the documentation avoids, and what it says in their place.
import { globSync } from 'node:fs'
import { root } from './published-packages.ts'

/** Each matches whole words, in any case. */
const AVOIDED: Readonly<Record<string, string>> = {
  // Paraphrases of terms that a reader searches for.
  'somebody|someone': "name who: 'a person', 'the caller', 'your code'",
  nobody: "'no one', or name who does not",
  whoever: "name who: 'a caller that', 'a person who'",
  'goes on|go on': "'continues', 'continue'",
  'tells? of': "'reports', 'emits'",
  'lets? out': "'flushes', 'emits'",
  besides: "'in addition to', 'also'",
  'is to be|are to be': "'must be', 'is'",
  // Longer than they need to be.
  'in order to': "'to'",
  'prior to': "'before'",
  'a number of': "'some', or the number",
  'makes? use of': "'uses'",
  'due to the fact that': "'because'",
  'in the event that': "'if'",
  'utili[sz]e[sd]?': "'use'",
  'leverages?': "'use'",
  'facilitates?': "'help', or what it does",
  functionality: "'function', or what it does",
  methodology: "'method'",
  'allows? (?:you|one) to|enables? (?:you|one) to': "'you can'",
  upon: "'on', 'when'",
  'whilst|amongst': "'while', 'among'",
  'thus|hence|thereby|therein|hereby|wherein': "'so', or a new sentence",
  shall: "'must', 'will'",
  // Empty.
  'simply|easily|obviously|basically|actually|of course|needless to say': 'nothing: leave it out',
  'please note(?: that)?|note that': 'nothing: say it',
  'seamless(?:ly)?|blazing(?:ly)?|powerful|robust|cutting-edge|world-class|effortless(?:ly)?':
    'what was measured',
  performant: "'fast', with a figure",
  // Latin and slashes.
  'e\\.g\\.': "'such as'",
  'i\\.e\\.': "'that is'",
  'etc\\.': "the rest of the list, or 'such as' before it",
  via: "'by', 'through', 'with'",
  'and/or': "'and', 'or', or both in words",
  // Names that exclude.
  'blacklist(?:s|ed)?': "'deny list'",
  'whitelist(?:s|ed)?': "'allow list'",
  'sanity checks?': "'check'",
  // One spelling: that of the AI SDK and of OpenTelemetry.
  'behaviours?': "'behavior'",
  'licences?': "'license'",
  'colours?': "'color'",
  '(?:normal|summar|recogn|serial|initial|author|optim|minim|maxim|organ|token)is(?:e[sdr]?|ing|ation|ations)':
    "'-ize', '-ization'",
  'analys(?:e[sd]?|ing)': "'analyze'",
  'time-outs?': "'timeout'",
}

/** Quoted or generated files, which are not checked. */
const LEFT_ALONE = /CHANGELOG\.md$|^examples\/use-cases\.md$|^packages\/memory\/docs\/tests-of-the-plan\.md$/

/** All Markdown files of the project, relative to the root. */
export function documents(): string[] {
  const patterns = [
    '*.md',
    '.changeset/*.md',
    'apps/*/*.md',
    'apps/docs/{concepts,guides}/*.md',
    'examples/*.md',
    'packages/*/*.md',
    'packages/*/docs/**/*.md',
    'packages/create-millrace/templates/*/*.md',
  ]
  return globSync(patterns, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !LEFT_ALONE.test(file))
    .sort()
}

export interface Found {
  /** From 1. */
  readonly line: number
  readonly word: string
  readonly instead: string
}

const PATTERNS = Object.entries(AVOIDED).map(([words, instead]) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${words})(?![\\w-])`, 'gi'),
  instead,
}))

/** Finds avoided words in the prose of a Markdown text. Code, URLs and quotations are ignored. */
export function findAvoidedWords(markdown: string): Found[] {
  return prose(markdown)
    .split('\n')
    .flatMap((text, index) =>
      PATTERNS.flatMap(({ pattern, instead }) =>
        [...text.matchAll(pattern)].map(([word]) => ({ line: index + 1, word, instead })),
      ),
    )
}

/** Replaces everything that is not prose by spaces, so that line numbers stay the same. */
function prose(markdown: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, ' ')
  return markdown
    .replace(/^( *)(`{3,}|~{3,})[\s\S]*?^\1\2 *$/gm, blank)
    .replace(/`+[^`\n]+`+/g, blank)
    .replace(/"[^"\n]*"|“[^”\n]*”/g, blank)
    .replace(/\]\([^)\n]*\)|https?:\/\/\S+/g, blank)
}
