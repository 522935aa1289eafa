import { Agent } from '@millrace/core'
import { defineConfig } from '@millrace/server'
import { ScriptedModel } from '@millrace/testing'

const model = new ScriptedModel(() => 'From the configuration')

export default defineConfig({
  agents: { support: new Agent({ model }) },
  proxy: { plain: model },
  port: 0,
})
