import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { applyCodemod, TRANSFORMS } from './codemod.ts'

const fixtures = new URL('../fixtures/', import.meta.url)
const read = (transform: string, file: string): string =>
  readFileSync(new URL(`${transform}/${file}`, fixtures), 'utf8')

describe.each(TRANSFORMS)('$name', ({ name: transform }) => {
  const inputs = readdirSync(new URL(transform, fixtures)).filter((file) => file.includes('.input.'))

  test.each(inputs)('%s is transformed as expected', async (file) => {
    const { code } = applyCodemod(transform, { file, code: read(transform, file) })
    await expect(code).toMatchFileSnapshot(
      new URL(`${transform}/${file.replace('.input.', '.output.')}`, fixtures).pathname,
    )
  })

  test.each(inputs)('%s is not changed the second time', (file) => {
    const { code } = applyCodemod(transform, { file, code: read(transform, file) })
    expect(applyCodemod(transform, { file, code }).code).toBe(code)
  })

  test('does not change a file without matching imports', () => {
    const code = "import { ChunkType } from './own.ts'\nnew Memory({ options: {} })\n"
    expect(applyCodemod(transform, { file: 'own.ts', code })).toEqual({ code, notes: [] })
  })
})

test('reports what it cannot decide, with the line', () => {
  const { notes } = applyCodemod('names', {
    file: 'resume.ts',
    code: "import { agent } from './agent.ts'\nimport { Agent } from '@millrace/core'\nawait agent.resume(runId, { approved: true })\n",
  })
  expect(notes).toEqual([
    {
      line: 3,
      text: 'resume() finds a run that belongs to a resource only with { resourceId } as its last argument.',
    },
  ])
  const mastra = applyCodemod('mastra', { file: 'agent.ts', code: read('mastra', 'agent.input.ts') })
  expect(mastra.notes.map(({ text }) => text)).toEqual([
    expect.stringContaining('`vector` is removed'),
    expect.stringContaining('have slots'),
    expect.stringContaining('LibSQLVector of @mastra/libsql has no counterpart'),
  ])
})

test('throws for an unknown codemod', () => {
  expect(() => applyCodemod('nonesuch', { file: 'a.ts', code: '' })).toThrow(
    "There is no codemod 'nonesuch'. Use one of: names, mastra.",
  )
})

test('the command changes files in place, or prints what it would change', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-codemod-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const input = read('names', 'hooks.input.ts')
  writeFileSync(join(folder, 'hooks.ts'), input)
  writeFileSync(join(folder, 'other.ts'), 'export {}\n')
  const main = new URL('cli/main.ts', import.meta.url).pathname
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['--conditions=@millrace/source', main, ...args])

  expect((await run('names', folder, '--dry-run')).stdout).toContain('1 file to change.')
  expect(readFileSync(join(folder, 'hooks.ts'), 'utf8')).toBe(input)
  expect((await run('names', folder)).stdout).toContain('1 file changed.')
  expect(readFileSync(join(folder, 'hooks.ts'), 'utf8')).toBe(read('names', 'hooks.output.ts'))
  await expect(run('nonesuch', folder)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nonesuch'),
  })
})
