/** Lets the model read instructions for a task when it needs them. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Skills } from '@millrace/context/skills'
import { Agent } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'

const root = mkdtempSync(join(tmpdir(), 'skills-'))
mkdirSync(join(root, 'refunds'))
writeFileSync(
  join(root, 'refunds', 'SKILL.md'),
  '---\nname: refunds\ndescription: Decides on refunds. Use it when a customer wants money back.\n---\n\nSee limits.md.\n',
)
writeFileSync(join(root, 'refunds', 'limits.md'), 'Up to 50 euros without approval.')

const skills = new Skills({ root })
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([
  toolCall('read_skill', { name: 'refunds' }),
  [
    toolCall('read_skill', { name: 'refunds', path: 'limits.md' }),
    toolCall('read_skill', { name: 'refunds', path: '../../secrets.md' }),
  ],
  'You get your 20 euros back.',
])
const agent = new Agent({ model, tools: skills.tools, processors: [skills] })
const { steps, text } = await agent.generate('I want my 20 euros back.')
rmSync(root, { recursive: true })

assert.match(JSON.stringify(model.calls[0]?.prompt), /- refunds: Decides on refunds/)
const [limits, secrets] = steps[1]?.toolResults ?? []
assert.ok(limits?.status === 'success' && secrets?.status === 'error')
console.log(limits.output, secrets.error) // Up to 50 euros … It is outside the folder that may be read. …
assert.equal(limits.output, 'Up to 50 euros without approval.')
assert.match(secrets.error, /outside/)
assert.equal(text, 'You get your 20 euros back.')
