import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AgentFiles,
  CoreInstructions,
  DirectoryContext,
  EditorContext,
  EnvironmentContext,
  FileMentions,
  MemoryImports,
  PromptArguments,
  ShellCommands,
} from '@millrace/context'
import { Agent, type Processor } from '@millrace/core'
import type { Suite } from '../figure.ts'
import { measure } from '../measure.ts'
import { StreamModel, textAnswer } from '../stream-model.ts'

const FILES = 10_000

/** The cost of adding context to a prompt, compared with listing the same folder by hand. */
export const contextSuite: Suite = {
  name: 'context',
  about: 'a turn with all context processors in a folder of 10,000 files, compared with listing it',
  async run({ quick }) {
    const root = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
    try {
      fill(root)
      const model = new StreamModel(textAnswer(20))
      const measurements = []
      for (const folder of ['flat', 'nested']) {
        const agent = new Agent({ model, processors: processors(join(root, folder)) })
        const name = 'a turn with all context processors'
        measurements.push(
          ...(await measure({
            name: `${FILES.toLocaleString('en')} files, ${folder}`,
            contestants: [
              { name: 'listing by hand', run: () => list(join(root, folder)) },
              { name, run: () => agent.generate('What do @README.md and @memory:style say of {topic}?') },
            ],
            budgets: { [name]: 1.5 },
            rounds: quick ? 15 : 51,
          })),
        )
      }
      return { measurements, figures: [] }
    } finally {
      rmSync(root, { recursive: true })
    }
  },
}

/** All files in one folder, or in 100 folders. */
function fill(root: string): void {
  for (let index = 0; index < FILES; index++) {
    const name = `file-${String(index).padStart(5, '0')}.ts`
    const folder = join(root, 'nested', `folder-${String(index % 100).padStart(2, '0')}`)
    if (index < 100) mkdirSync(folder, { recursive: true })
    if (index === 0) mkdirSync(join(root, 'flat'))
    writeFileSync(join(folder, name), '')
    writeFileSync(join(root, 'flat', name), '')
  }
  for (const folder of ['flat', 'nested']) {
    writeFileSync(join(root, folder, 'README.md'), '# The mill\n\nIt grinds.\n'.repeat(20))
    writeFileSync(join(root, folder, 'AGENTS.md'), 'Run the tests.\n'.repeat(20))
    writeFileSync(join(root, folder, '.gitignore'), 'node_modules/\n*.log\n')
  }
}

/** The same by hand: the names of all files, sorted, as one text. */
async function list(root: string): Promise<string> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true })
  return entries
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .join('\n')
}

function processors(root: string): Processor[] {
  return [
    new CoreInstructions({ sections: [{ name: 'tone', text: 'Be brief.' }] }),
    new EnvironmentContext(),
    new EditorContext({ from: () => ({ activeFile: 'README.md', cursor: { line: 3 } }) }),
    new DirectoryContext({ root }),
    new AgentFiles({ root }),
    new PromptArguments({ arguments: { topic: 'flour' } }),
    new MemoryImports({ resolve: () => 'Short sentences.' }),
    new ShellCommands({ commands: { date: {} } }),
    new FileMentions({ root }),
  ]
}
