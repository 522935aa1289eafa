import { Checkbox } from '@base-ui/react/checkbox'
import { Check as CheckIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface CheckProps {
  isChecked: boolean
  onChange: (isChecked: boolean) => void
  children: ReactNode
}

export function Check({ isChecked, onChange, children }: CheckProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox of the library is the control.
    <label className="check">
      <Checkbox.Root className="checkbox" checked={isChecked} onCheckedChange={onChange}>
        <Checkbox.Indicator className="checkbox-mark">
          <CheckIcon aria-hidden size={13} strokeWidth={3} />
        </Checkbox.Indicator>
      </Checkbox.Root>
      {children}
    </label>
  )
}
