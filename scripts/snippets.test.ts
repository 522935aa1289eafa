import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { root } from './published-packages.ts'
import { documentedSnippets, findSnippets, type Problem, writeSnippets } from './snippets.ts'

const markdown = `# Self-test

\`\`\`ts
const answer: number = 6 * 7
if (answer !== 42) throw new Error('no answer')
\`\`\`

\`\`\`js
this is no snippet
\`\`\`

\`\`\`\`md
\`\`\`ts
nor is this
\`\`\`
\`\`\`\`

- in a list:
  \`\`\`ts
  export const fine = true
  if (fine) throw new Error('on line 21')
  \`\`\`

\`\`\`ts no-run
const wrong: string = [''][0]
throw new Error('never runs')
\`\`\`
`

const samples = findSnippets('self-test.md', markdown)
const everyDocumented = documentedSnippets()
const documented = everyDocumented.filter(({ file }) => file === undefined)
const filed = everyDocumented.flatMap(({ file, ...snippet }) =>
  file === undefined ? [] : { ...snippet, file },
)
const files = writeSnippets(documented, samples)
afterAll(() => files.remove())

const place = ({ source, line }: { source: string; line: number }) => `${source}:${line}`
const report = (problems: readonly Problem[]) =>
  problems.map((problem) => `${place(problem)}\n${problem.message}`).join('\n\n')

test('a snippet is a ts block, optionally marked no-run', () => {
  expect(samples.map(({ line, run }) => ({ line, run }))).toEqual([
    { line: 4, run: true },
    { line: 20, run: true },
    { line: 25, run: false },
  ])
})

test('a snippet with file= is the text of that file', () => {
  expect(findSnippets('docs/page.md', '```ts file=../src/a.ts\na\n```')).toMatchObject([
    { file: 'src/a.ts', run: false },
  ])
  for (const { file, code, ...snippet } of filed) {
    expect(code, `${place(snippet)}: copy ${file}`).toBe(readFileSync(join(root, file), 'utf8').trimEnd())
  }
})

test('every snippet of the documentation type-checks', { timeout: 180_000 }, async () => {
  const problems = await files.typeCheck()
  const [wrong, ...others] = [
    ...problems.filter(({ source }) => source === 'self-test.md'),
    ...problems.filter(({ source }) => source !== 'self-test.md'),
  ]
  if (others.length > 0) expect.fail(report(others))
  expect(wrong).toMatchObject({ line: 25, message: expect.stringContaining('TS2322') })
})

test('a snippet that throws is reported with its file and line', { timeout: 180_000 }, async () => {
  const problems = await Promise.all(samples.filter(({ run }) => run).map((snippet) => files.run(snippet)))
  expect(problems).toMatchObject([undefined, { source: 'self-test.md', line: 21 }])
})

test.concurrent.for(documented.filter(({ run }) => run).map((snippet) => [place(snippet), snippet] as const))(
  'runs: %s',
  { timeout: 600_000 },
  async ([, snippet]) => {
    const problem = await files.run(snippet)
    if (problem) expect.fail(report([problem]))
  },
)
