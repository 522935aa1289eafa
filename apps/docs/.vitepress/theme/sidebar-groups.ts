// The sidebar as lists of links in `details`: it works without JavaScript, and has no nested buttons as VitePress's
// component, which this one replaces.
import { useRoute } from 'vitepress'
import type { DefaultTheme } from 'vitepress/theme'
import { defineComponent, h, type PropType, type VNode } from 'vue'

type Item = DefaultTheme.SidebarItem

export default defineComponent({
  props: { items: { type: Array as PropType<Item[]>, required: true } },
  setup(props) {
    const route = useRoute()
    const isCurrent = ({ link }: Item): boolean => link === route.path.replace(/\.html$/, '')
    const group = ({ text, items = [], collapsed }: Item): VNode => {
      const open = collapsed !== true || items.some(isCurrent)
      // The key includes the state, so that the group opens when one of its pages is opened by another link.
      return h('details', { key: `${text} ${open}`, class: 'sidebar-group', open }, [
        h('summary', [text, h('span', { class: 'vpi-chevron-right' })]),
        h('ul', items.map(link)),
      ])
    }
    const link = (item: Item): VNode =>
      h('li', { key: item.link ?? item.text ?? '' }, [
        h('a', { href: item.link, 'aria-current': isCurrent(item) ? 'page' : undefined }, item.text),
      ])
    return () => props.items.map(group)
  },
})
