@_exported import Foundation

/// https://developer.apple.com/documentation/appkit/nsapplication
@MainActor public final class NSApplication: NSObject {
  /// https://developer.apple.com/documentation/appkit/nsapplication/shared
  public static let shared = NSApplication()

  /// https://developer.apple.com/documentation/appkit/nsapplication/activationpolicy-swift.enum
  public enum ActivationPolicy: Int, Sendable { case regular, accessory, prohibited }

  /// https://developer.apple.com/documentation/appkit/nsapplication/setactivationpolicy(_:)
  @discardableResult public func setActivationPolicy(_ activationPolicy: ActivationPolicy) -> Bool { true }

  /// https://developer.apple.com/documentation/appkit/nsapplication/activate()
  public func activate() {}
}
